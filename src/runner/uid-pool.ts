/** Users for the jobs of a server that runs as root. No account of the machine has one of them. */

export type Uids = { readonly first: number; readonly count: number; readonly step: number }

/** Those that systemd assigns to services with DynamicUser (Users, Groups, UIDs and GIDs on systemd systems). */
export const COMMAND_UIDS: Uids = { first: 61_184, count: 4_000, step: 1 }

/** How many a job has with containers: its own, which is their root, and those of their users. */
export const UIDS_OF_JOB = 65_536
/** Those that the same document calls unused. */
export const CONTAINER_UIDS: Uids = { first: 0x70000000, count: 4_000, step: UIDS_OF_JOB }

/** A uid for each job directory, so that two commands never run as the same user. */
export class UidPool {
  readonly #used = new Set<number>()
  readonly #byId = new Map<string, number>()

  /** `start` is where it begins to look for a free one. */
  constructor(
    private readonly uids: Uids,
    private readonly start: number,
  ) {}

  /** The uid of a job directory; takes a free one at the first call. */
  of(id: string): number {
    const known = this.#byId.get(id)
    if (known !== undefined) return known
    const { first, count, step } = this.uids
    let place = this.start % count
    while (this.#used.has(first + place * step)) place = (place + 1) % count
    const uid = first + place * step
    this.#used.add(uid)
    this.#byId.set(id, uid)
    return uid
  }

  release(id: string): void {
    const uid = this.#byId.get(id)
    if (uid !== undefined) this.#used.delete(uid)
    this.#byId.delete(id)
  }
}
