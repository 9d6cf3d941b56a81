// A search while one types: the server is asked shortly after the last key, and once for each text.

const DELAY_MS = 120

export class DelayedSearch {
  #timer = 0
  #latest = ''
  #isFound: Promise<boolean> = Promise.resolve(false)
  #choices: Promise<unknown> = Promise.resolve()
  #waitingChoices = 0
  #isTypedMeanwhile = false

  /**
   * `addressOf` gives what is searched for now. `show` shows what was found unless `isLate`, and says
   * whether it did.
   */
  constructor(
    private readonly addressOf: () => string,
    private readonly show: (address: string, isLate: () => boolean) => Promise<boolean>,
  ) {}

  /** A key was pressed. */
  type(): void {
    clearTimeout(this.#timer)
    // What was typed before Enter is shown and chosen from first.
    this.#isTypedMeanwhile = this.#waitingChoices > 0
    if (this.#isTypedMeanwhile) return
    this.#timer = window.setTimeout(() => void this.#find(this.addressOf()), DELAY_MS)
    this.#latest = ''
  }

  /**
   * Enter was pressed: shows the results of what is typed now, and calls `choose` when they are shown.
   * What is typed meanwhile is searched for afterwards.
   */
  findAndChoose(choose: () => void): void {
    clearTimeout(this.#timer)
    const address = this.addressOf()
    this.#isTypedMeanwhile = false
    this.#waitingChoices++
    this.#choices = this.#choices.then(async () => {
      if (await this.#find(address)) choose()
      this.#waitingChoices--
      if (this.#waitingChoices === 0 && this.#isTypedMeanwhile) this.type()
    })
  }

  /** Resolves when everything is chosen for which Enter was pressed. */
  chosen(): Promise<unknown> {
    return this.#choices
  }

  #find(address: string): Promise<boolean> {
    if (address !== this.#latest) {
      this.#latest = address
      // An answer to an earlier query comes too late.
      this.#isFound = this.show(address, () => address !== this.#latest)
    }
    return this.#isFound
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
