/** A priority queue of commit numbers, latest time first. Equal times leave in insertion order. */
export class CommitTimeQueue {
  private items: number[] = []
  private times: number[] = []
  private orders: number[] = []
  private next = 0

  get size(): number {
    return this.items.length
  }

  push(item: number, time: number): void {
    const order = this.next++
    let at = this.items.length
    this.items.push(item)
    this.times.push(time)
    this.orders.push(order)
    while (at > 0) {
      const up = (at - 1) >> 1
      if (!this.before(time, order, up)) break
      this.move(up, at)
      at = up
    }
    this.place(at, item, time, order)
  }

  /** Returns the first item; the queue must not be empty. */
  peek(): number {
    return this.items[0]!
  }

  /** Returns the time of the first item. */
  peekTime(): number {
    return this.times[0]!
  }

  pop(): number {
    const first = this.items[0]!
    const item = this.items.pop()!
    const time = this.times.pop()!
    const order = this.orders.pop()!
    const size = this.items.length
    if (size > 0) {
      let at = 0
      for (;;) {
        let down = at * 2 + 1
        if (down >= size) break
        if (down + 1 < size && this.before(this.times[down + 1]!, this.orders[down + 1]!, down))
          down++
        if (this.before(time, order, down)) break
        this.move(down, at)
        at = down
      }
      this.place(at, item, time, order)
    }
    return first
  }

  private before(time: number, order: number, other: number): boolean {
    const theirs = this.times[other]!
    return time > theirs || (time === theirs && order < this.orders[other]!)
  }

  private move(from: number, to: number): void {
    this.items[to] = this.items[from]!
    this.times[to] = this.times[from]!
    this.orders[to] = this.orders[from]!
  }

  private place(at: number, item: number, time: number, order: number): void {
    this.items[at] = item
    this.times[at] = time
    this.orders[at] = order
  }
}
