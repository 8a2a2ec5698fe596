const SMALLEST = 2 ** 12;
const MOST_LEFT = 127;

/** The states that were seen, by 64-bit hashes. A `Map` of them takes longer than all else that is done for a state. */
export class Seen {
  size = 0;
  private hashes = new Int32Array(2 * SMALLEST);
  /** -1: nothing is here. */
  private lefts = new Int8Array(SMALLEST).fill(-1);

  /** False: the state was seen with at least as many preemptions left. */
  add(high: number, low: number, left: number): boolean {
    const most = Math.min(left, MOST_LEFT);
    const at = this.find(high, low);
    if ((this.lefts[at] as number) >= most) return false;
    if (this.lefts[at] === -1 && ++this.size > this.lefts.length / 2) {
      this.grow();
      this.put(this.find(high, low), high, low, most);
    } else this.put(at, high, low, most);
    return true;
  }

  private find(high: number, low: number): number {
    const { hashes, lefts } = this;
    const mask = lefts.length - 1;
    let at = (high ^ low) & mask;
    while (lefts[at] !== -1 && (hashes[2 * at] !== high || hashes[2 * at + 1] !== low)) at = (at + 1) & mask;
    return at;
  }

  private put(at: number, high: number, low: number, left: number): void {
    this.hashes[2 * at] = high;
    this.hashes[2 * at + 1] = low;
    this.lefts[at] = left;
  }

  private grow(): void {
    const { hashes, lefts } = this;
    this.hashes = new Int32Array(2 * hashes.length);
    this.lefts = new Int8Array(2 * lefts.length).fill(-1);
    lefts.forEach((left, at) => {
      const [high, low] = [hashes[2 * at] as number, hashes[2 * at + 1] as number];
      if (left !== -1) this.put(this.find(high, low), high, low, left);
    });
  }
}
