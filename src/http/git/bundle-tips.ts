/**
 * Which commit the bundle of a repository has. Clients with `transfer.bundleURI` download the bundle
 * and fetch only what is newer, so it need not follow every push: it stays until it is a day old or
 * the default branch no longer has its commit.
 */
import type { Hearth } from '#core/hearth.ts'
import { cache } from '#core/service.ts'
import type { Oid, RefSnapshot } from '#git'
import { type Cache, SMALL_ENTRY_BYTES } from '#lib/cache.ts'
import { DAY } from '#lib/time.ts'
import { MIB } from '../body.ts'

const MAX_AGE_MS = DAY
/** A smaller clone gains nothing from two more requests. */
const MIN_STORE_BYTES = MIB
const MAX_TIPS = 10_000

type BundleTip = { readonly oid: Oid; readonly chosenAt: number }

const bundleTips = cache<BundleTip>('git-bundle-tips', {
  maxSize: MAX_TIPS * SMALL_ENTRY_BYTES,
  sizeOf: () => SMALL_ENTRY_BYTES,
})

export class BundleTips {
  readonly #tips: Cache<BundleTip>

  constructor(private readonly hearth: Hearth) {
    this.#tips = bundleTips(hearth)
  }

  /** The commit of the bundle that a client is told of; null when a bundle does not pay. */
  async choose(repo: string, store: string, refs: RefSnapshot): Promise<Oid | null> {
    const { git, clock } = this.hearth
    const head = headOf(refs)
    if (head === null || (await git.sizeOf(store)) < MIN_STORE_BYTES) return null
    const key = `${store} ${repo}`
    const known = this.#tips.get(key)
    const isFresh = known !== undefined && clock.now() - known.chosenAt < MAX_AGE_MS
    if (isFresh && (known.oid === head || (await git.isReachable(store, known.oid, [head]))))
      return known.oid
    this.#tips.set(key, { oid: head, chosenAt: clock.now() })
    return head
  }

  /** Whether a client may have been told of this bundle; others are not built. */
  isOffered(repo: string, store: string, refs: RefSnapshot, oid: Oid): boolean {
    return this.#tips.get(`${store} ${repo}`)?.oid === oid || headOf(refs) === oid
  }
}

const headOf = ({ head, refs }: RefSnapshot): Oid | null =>
  refs.find(({ name }) => name === head)?.oid ?? null
