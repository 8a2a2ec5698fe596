/**
 * The life of a slot, in its STATE word: three bits for the kind, 29 bits for the owner or the ticket.
 *
 *     FREE -> HELD -> QUEUED(ticket) -> RUNNING(worker) -> DONE(worker) -> FREE
 *              |   `-> MAILED(ticket) -^
 *              ^---------- retract ----'   |         ^
 *                                          `-> ASKED(worker), which may end, too
 *
 * From RUNNING and ASKED to CONDEMNED(worker), until that worker's thread has exited.
 *
 * Invariants, which the model checker of the tests checks in every interleaving:
 *  1. Who may change a state: the host from FREE, HELD and DONE; the side whose compareExchange wins, from QUEUED and
 *     MAILED; the claiming worker from RUNNING or ASKED to DONE, and the host from RUNNING to ASKED and from either to
 *     CONDEMNED, by compareExchange. A worker whose task was condemned claims nothing more, so killing it costs no other task.
 *  2. A ticket is the ring position at which a slot was published, so a claim by an old ring entry fails: it expects a
 *     state with the old ticket. A mailbox's ticket also names its worker, because positions of different rings may be equal.
 *  3. A claim changes STATE first and moves the head afterwards. If a worker dies in between, the head points at a slot
 *     that is no longer queued; the next side that finds it moves the head on. No death loses a slot.
 *  4. A worker writes DONE before it pushes to its completion ring. If it dies in between, no ring names the DONE slot;
 *     the host finds it when it sweeps the slots of the dead worker.
 *  5. A worker counts as running from before its claim until after its DONE. So the host never takes a worker with a claimed
 *     task for idle, and never stops it as idle before its result is safe.
 *
 * docs/internals/memory-order.md lists the plain accesses, and why each is correct.
 */
export const FREE = 0;
export const HELD = 1;
export const QUEUED = 2;
export const RUNNING = 3;
export const DONE = 4;
/** Waits in the mailbox of one worker. */
export const MAILED = 5;
/** The host will kill the worker that runs it. */
export const CONDEMNED = 6;
/** RUNNING, and the host has asked the worker to end it. */
export const ASKED = 7;

const KIND_BITS = 3;
const KIND_MASK = (1 << KIND_BITS) - 1;

export const kindOf = (state: number): number => state & KIND_MASK;
export const ownerOf = (state: number): number => state >>> KIND_BITS;
export const pack = (kind: number, value: number): number => (value << KIND_BITS) | kind;
