/** A queue as a user of the pool writes it. */
export class FixedQueue {
  #tasks = [];

  get size() {
    return this.#tasks.length;
  }

  push(task) {
    this.#tasks.push(task);
  }

  shift() {
    return this.#tasks.shift() ?? null;
  }

  remove(task) {
    const index = this.#tasks.indexOf(task);
    if (index !== -1) this.#tasks.splice(index, 1);
  }
}
