/**
 * What a caller may do with a repository through git, and the operations behind it. Every door of
 * git goes through here, so rights do not depend on the door.
 */
import { decide } from '#core/access.ts'
import type { Origin } from '#core/audit.ts'
import type { Caller } from '#core/caller.ts'
import { diskFull, hasDiskSpace, isDiskFullError } from '#core/disk-space.ts'
import type { Hearth } from '#core/hearth.ts'
import { call, type Operation, type Typed } from '#core/operation.ts'
import type { Push, RefResult, RefSnapshot } from '#git'
import { Refusal } from '#lib/errors.ts'

export type Service = 'git-upload-pack' | 'git-receive-pack'

/** The repository that a path names. `id` is the advisory of a private fork. */
type Target = { readonly repo: string; readonly id?: string }

type FetchOperation = Typed<
  { repo: string; id?: string },
  { full_name: string; store: string; refs: RefSnapshot }
>
type PushInput = {
  repo: string
  id?: string
  updates: Push['updates']
  options: readonly string[]
  atomic: boolean
  bytes: number
  unscanned: boolean
  certificate?: { nonce: string; signed: string; signature: string }
}
type PushOperation = Typed<PushInput, { results: RefResult[] }>

export function requireOperation(hearth: Hearth, name: string): Operation {
  const operation = hearth.operationsByName.get(name)
  if (!operation) throw new TypeError(`the git server needs the operation ${name}`)
  return operation
}

/** The operations behind one kind of repository. */
type Operations = { readonly fetch: FetchOperation; readonly push: PushOperation }

/** No repository may have a name that ends so (`core/reserved-names.ts`). */
const WIKI_SUFFIX = '.wiki'

/** What follows the repository in the path of the private fork of an advisory. */
const FORK_SUFFIX = /\/security\/advisories\/([^/]+)$/

/** What follows the repository in a path: of a wiki or a private fork; else empty. */
export const suffixOfPath = (path: string): string =>
  path.endsWith(WIKI_SUFFIX) ? WIKI_SUFFIX : (FORK_SUFFIX.exec(path)?.[0] ?? '')

/** What a path names, for a wiki or a private fork the repository that it belongs to. */
function targetOf(path: string): Target {
  const suffix = suffixOfPath(path)
  const repo = suffix === '' ? path : path.slice(0, -suffix.length)
  const id = FORK_SUFFIX.exec(path)?.[1]
  return id === undefined ? { repo } : { repo, id }
}

/** Why a repository takes no signed pushes, in one line; null when it does. */
export const unsignedReason = (path: string): string | null =>
  path.endsWith(WIKI_SUFFIX)
    ? 'a wiki takes no signed pushes: push with --no-signed'
    : FORK_SUFFIX.test(path)
      ? 'a private fork takes no signed pushes: push with --no-signed'
      : null

/** Who pushes where. */
type Pusher = {
  /** Finds the caller again, whose credential may have ended while the pack came. */
  readonly caller: () => Caller
  readonly repo: string
  readonly origin: Origin
}

export class GitAccess {
  readonly #repos: Operations
  readonly #wikis: Operations
  readonly #privateForks: Operations

  constructor(private readonly hearth: Hearth) {
    const operations = (fetch: string, push: string): Operations => ({
      fetch: requireOperation(hearth, fetch) as FetchOperation,
      push: requireOperation(hearth, push) as PushOperation,
    })
    this.#repos = operations('fetch_repo', 'push')
    this.#wikis = operations('fetch_wiki', 'push_wiki')
    this.#privateForks = operations('fetch_advisory_fork', 'push_advisory_fork')
  }

  #operationsFor(path: string): Operations {
    const suffix = suffixOfPath(path)
    if (suffix === '') return this.#repos
    return suffix === WIKI_SUFFIX ? this.#wikis : this.#privateForks
  }

  /** Decides access again, for a transfer that runs. Throws the refusal of the operation. */
  check(caller: Caller, repo: string, service: Service): void {
    const operations = this.#operationsFor(repo)
    const { access } = service === 'git-receive-pack' ? operations.push : operations.fetch
    decide(access, caller, targetOf(repo), this.hearth.facts)
  }

  /** Why no push is possible now. git shows its user what comes in the response of a push only so. */
  problemOfPush(): string | null {
    return hasDiskSpace(this.hearth) ? null : diskFull().message
  }

  /**
   * Decides access. Throws the refusal of the operation, and 503 for a push to a full disk, unless
   * the push is under way: then `problemOfPush` tells.
   */
  async open(
    caller: Caller,
    repo: string,
    service: Service,
    { isUnderWay = false } = {},
  ): Promise<{ readonly store: string; readonly refs: RefSnapshot }> {
    const { hearth } = this
    const operations = this.#operationsFor(repo)
    const target = targetOf(repo)
    if (service === 'git-receive-pack') {
      decide(operations.push.access, caller, target, hearth.facts)
      // Before a pack is sent that could not be stored.
      if (!isUnderWay && !hasDiskSpace(hearth)) throw diskFull()
    }
    return await call(hearth, operations.fetch, caller, target)
  }

  /** Runs the operation of a push whose objects are stored. A refusal is one of each ref. */
  async applyPush({ caller, repo, origin }: Pusher, push: Push): Promise<readonly RefResult[]> {
    const { updates, options, atomic, packBytes, unscanned, certificate } = push
    const input = {
      ...targetOf(repo),
      updates,
      options,
      atomic,
      bytes: packBytes,
      unscanned,
      ...(certificate && {
        certificate: {
          nonce: certificate.nonce ?? '',
          signed: certificate.signed,
          signature: certificate.signature,
        },
      }),
    }
    const refuseAll = (refused: string) => updates.map(({ name }) => ({ name, refused }))
    try {
      const operation = this.#operationsFor(repo).push
      const { results } = await call(this.hearth, operation, caller(), input, { origin })
      return results
    } catch (error) {
      if (error instanceof Refusal) return refuseAll(error.message)
      if (isDiskFullError(error)) return refuseAll(diskFull().message)
      this.hearth.log.error('a push failed', { repo, error })
      return refuseAll('something went wrong here; nothing was changed')
    }
  }
}
