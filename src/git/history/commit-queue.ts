/**
 * A priority queue, newest item first. Items of the same time are taken in the order in which they
 * were put (git's `prio_queue`).
 */
export class CommitQueue<T extends { readonly time: number }> {
  private readonly heap: { item: T; order: number }[] = []
  private puts = 0

  get size(): number {
    return this.heap.length
  }

  /** The item that `take` would return next. */
  get first(): T | undefined {
    return this.heap[0]?.item
  }

  put(item: T): void {
    const { heap } = this
    const added = { item, order: this.puts++ }
    let at = heap.length
    heap.push(added)
    while (at > 0) {
      const up = (at - 1) >> 1
      const parent = heap[up]
      if (!parent || !before(added, parent)) break
      heap[at] = parent
      at = up
    }
    heap[at] = added
  }

  take(): T | undefined {
    const { heap } = this
    const top = heap[0]
    const last = heap.pop()
    if (!top || !last || heap.length === 0) return top?.item
    let at = 0
    for (;;) {
      let down = 2 * at + 1
      let child = heap[down]
      if (!child) break
      const right = heap[down + 1]
      if (right && before(right, child)) {
        child = right
        down++
      }
      if (!before(child, last)) break
      heap[at] = child
      at = down
    }
    heap[at] = last
    return top.item
  }
}

const before = (
  a: { item: { time: number }; order: number },
  b: { item: { time: number }; order: number },
): boolean => a.item.time > b.item.time || (a.item.time === b.item.time && a.order < b.order)
