/**
 * A queue in which tenants take turns.
 *
 * @module
 */

/** Holds items by tenant: first in, first out within a tenant, and one from each tenant in turn. */
export class FairQueue<T> {
  /** The tenants that wait, the next one first. */
  readonly #waiting = new Map<string, Lane<T>>();
  #size = 0;

  /** How many items wait. */
  get size(): number {
    return this.#size;
  }

  /** Adds an item at the end of its tenant's lane; a tenant that didn't wait comes after those that do. */
  push(tenantId: string, item: T): void {
    const lane = this.#waiting.get(tenantId);
    if (lane === undefined) this.#waiting.set(tenantId, new Lane(item));
    else lane.push(item);
    this.#size++;
  }

  /** Takes the next item, sending its tenant to the back. */
  take(): T | undefined {
    for (const [tenantId, lane] of this.#waiting) {
      this.#waiting.delete(tenantId);
      const item = lane.take();
      if (lane.size > 0) this.#waiting.set(tenantId, lane);
      this.#size--;
      return item;
    }
    return undefined;
  }
}

/** A first-in-first-out list that takes in constant time. */
class Lane<T> {
  #items: (T | undefined)[];
  #head = 0;

  constructor(first: T) {
    this.#items = [first];
  }

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  take(): T | undefined {
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head > 1_000 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
