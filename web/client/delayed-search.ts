// A search while one types: the server is asked shortly after the last key, and once for each text.

const DELAY_MS = 120

export class DelayedSearch {
  #timer = 0
  #latest = ''
  #found: Promise<void> = Promise.resolve()

  /** `addressOf` gives what is searched for now, and `show` shows what was found unless `isLate`. */
  constructor(
    private readonly addressOf: () => string,
    private readonly show: (address: string, isLate: () => boolean) => Promise<void>,
  ) {}

  /** A key was pressed. */
  type(): void {
    clearTimeout(this.#timer)
    this.#timer = window.setTimeout(() => void this.find(), DELAY_MS)
    this.#latest = ''
  }

  /** Shows the results of what is typed now. */
  find(): Promise<void> {
    clearTimeout(this.#timer)
    const address = this.addressOf()
    if (address !== this.#latest) {
      this.#latest = address
      // An answer to an earlier query comes too late.
      this.#found = this.show(address, () => address !== this.#latest)
    }
    return this.#found
  }
}

/** The search of each element, which is made when it is first needed. */
export function searchPerElement<E extends Element>(
  make: (element: E) => DelayedSearch,
): (element: E) => DelayedSearch {
  const searches = new WeakMap<E, DelayedSearch>()
  return (element) => {
    const search = searches.get(element) ?? make(element)
    searches.set(element, search)
    return search
  }
}
