/**
 * The life of a slot, kept in its STATE word: three bits for the kind, 29 bits for the owner or the ticket.
 *
 *     FREE -> HELD -> QUEUED(ticket) -> RUNNING(worker) -> DONE(worker) -> FREE
 *              |   `-> MAILED(ticket) -^
 *              ^---------- retract ----'   |         ^
 *                                          `-> ASKED(worker), which may end, too
 *
 * From RUNNING and ASKED to CONDEMNED(worker), until that worker's thread has exited.
 *
 * Invariants, which the model checker of the tests holds against every interleaving:
 *  1. Who may move a slot on: the host from FREE, HELD and DONE; whoever wins the compareExchange from QUEUED;
 *     the claiming worker from RUNNING or ASKED to DONE, or the host from RUNNING to ASKED and from either to CONDEMNED,
 *     by compareExchange. A worker whose task was condemned claims nothing more, so killing it costs no other task.
 *  2. A ticket is the ring position at which a slot was published, so a claim through a stale ring entry fails:
 *     the state that it expects holds the old ticket. A mailbox's ticket names its worker too, since positions of
 *     different rings may be equal.
 *  3. A claim changes STATE first and moves the head afterwards. A worker that dies in between leaves a head that
 *     points at a slot which is no longer queued; the side that meets it moves the head on. No death loses a slot.
 *  4. A worker writes DONE before it pushes to its completion ring. A worker that dies in between leaves a DONE
 *     slot that no ring names; the host finds it when it sweeps the slots of the dead worker.
 *  5. A worker is counted as running from before its claim until after its DONE, so the host never takes one for idle
 *     that has claimed something, and never stops one as idle before its result is safe.
 *
 * Which of the accesses are plain, and why each of those is right: docs/internals/memory-order.md.
 */
export const FREE = 0;
export const HELD = 1;
export const QUEUED = 2;
export const RUNNING = 3;
export const DONE = 4;
/** Queued for one worker alone. */
export const MAILED = 5;
/** The worker that runs it will be killed for it. */
export const CONDEMNED = 6;
/** As RUNNING: the host has asked the worker that runs it to end it. */
export const ASKED = 7;

const KIND_BITS = 3;
const KIND_MASK = (1 << KIND_BITS) - 1;

export const kindOf = (state: number): number => state & KIND_MASK;
export const ownerOf = (state: number): number => state >>> KIND_BITS;
export const pack = (kind: number, value: number): number => (value << KIND_BITS) | kind;
