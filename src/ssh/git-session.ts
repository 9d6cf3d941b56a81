/**
 * One command of a git client over SSH. Rights are decided by the same function as over HTTP
 * (`http/git/git-access.ts`), for the caller that the key stands for at that moment.
 */
import type { ServerChannel } from 'ssh2'
import type { Origin } from '#core/audit.ts'
import type { SignedIn } from '#core/caller.ts'
import { diskFull, isDiskFullError } from '#core/disk-space.ts'
import type { Hearth } from '#core/hearth.ts'
import { decide } from '#core/access.ts'
import { engineRefusal, principalOf, runAs } from '#core/principal.ts'
import { GitError, readFetchRequests, type Push, type RefSnapshot } from '#git'
import { GitAccess, requireOperation, suffixOfPath, type Service } from '#http/git/git-access.ts'
import { parseGitAddress, parseProtocolVersion } from '#http/git/git-server.ts'
import { LFS_TOKEN_LIFETIME_MS, lfsToken } from '#http/git/lfs-token.ts'
import { Watchdog } from '#http/git/transfer-watchdog.ts'
import { transferSemaphore } from '#http/git/transfers.ts'
import { Moved, notFound, Refusal } from '#lib/errors.ts'
import { inputOf } from '#lib/ssh/channel-input.ts'
import { finish, send } from './channel.ts'
import { ChannelSink } from './channel-sink.ts'
import type { SshCommand } from './command.ts'
import { encryptionTurns } from './work-turns.ts'

export type GitCall = {
  readonly caller: SignedIn
  readonly channel: ServerChannel
  /** The variable GIT_PROTOCOL of the client; null without one. */
  readonly protocol: string | null
  readonly origin: Origin
  /** Called while a transfer makes progress. */
  readonly onProgress: () => void
}

type Opened = { readonly repo: string; readonly store: string; readonly refs: RefSnapshot }
type Known = Exclude<SshCommand, { kind: 'unknown' }>

/** `/acme/site.git`, `acme/site` and `acme/site/pull/3.git` name repositories. */
function repoOf(path: string): string {
  const address = parseGitAddress(`/${path.replace(/^\/+/, '').replace(/\/$/, '')}/info/refs`)
  if (address === null) throw notFound(`the repository ${path.slice(0, 200)}`)
  return address.repo
}

/** Without the line that smart HTTP begins with. */
function withoutAnnouncement(service: Service, advertised: Uint8Array): Uint8Array {
  const announcement = Buffer.from(`# service=${service}\n`)
  const isAnnounced = Buffer.compare(advertised.subarray(4, 4 + announcement.length), announcement)
  return isAnnounced === 0 ? advertised.subarray(4 + announcement.length + 4) : advertised
}

export class GitSession {
  readonly #access: GitAccess
  readonly #turns = encryptionTurns()

  constructor(private readonly hearth: Hearth) {
    this.#access = new GitAccess(hearth)
  }

  /** Runs a command to its end, whatever happens. */
  async run(call: GitCall, command: Known): Promise<void> {
    const { channel } = call
    try {
      if (command.kind === 'git-lfs-authenticate') await this.#authenticateLfs(call, command)
      else if (command.kind === 'git-upload-pack') await this.#fetch(call, command.path)
      else await this.#push(call, command.path)
      finish(channel, 0, null)
    } catch (error) {
      finish(channel, 1, this.#describe(error, command))
    }
  }

  #describe(error: unknown, command: Known): string | null {
    const { hearth } = this
    const refusal = error instanceof Refusal ? error : engineRefusal(hearth, error)
    if (refusal) return `hearth: ${refusal.message}`
    if (error instanceof GitError)
      return error.code === 'aborted' ? null : `hearth: ${error.message}`
    if (isDiskFullError(error)) return `hearth: ${diskFull().message}`
    hearth.log.error('a command over SSH failed', { command: command.kind, error })
    return 'hearth: something went wrong here'
  }

  /** Opens a repository, also under a former name. */
  async #open({ caller, channel }: GitCall, path: string, service: Service): Promise<Opened> {
    const repo = repoOf(path)
    try {
      return await this.#openNamed(caller, repo, service)
    } catch (error) {
      if (!(error instanceof Moved)) throw error
      channel.stderr.write(`hearth: ${error.message}\n`)
      return await this.#openNamed(caller, `${error.to}${suffixOfPath(repo)}`, service)
    }
  }

  async #openNamed(caller: SignedIn, repo: string, service: Service): Promise<Opened> {
    const opened = await this.#access.open(caller, repo, service)
    await this.hearth.git.ensureLocal(opened.store)
    return { repo, ...opened }
  }

  /** The caller that the key stands for now. Throws a refusal when it is gone. */
  #callerOfNow({ token }: SignedIn): SignedIn {
    const caller = token && this.hearth.callers.byCredential(token.id)
    if (!caller || caller.kind === 'anonymous')
      throw new Refusal('unauthenticated', 'this key has been removed')
    return caller
  }

  /**
   * Holds one of the caller's permits while a transfer runs and makes progress. It ends when the
   * caller loses the right to it, so nobody keeps what a long clone has not sent yet.
   */
  async #transfer<T>(
    { caller, channel, origin, onProgress }: GitCall,
    operation: 'fetch' | 'push',
    repo: string,
    run: (signal: AbortSignal, touch: () => void) => Promise<T>,
  ): Promise<T> {
    const { hearth } = this
    const service = operation === 'push' ? 'git-receive-pack' : 'git-upload-pack'
    const watchdog = new Watchdog(() =>
      this.#access.check(this.#callerOfNow(caller), repo, service),
    )
    const ended = new AbortController()
    const close = (): void => ended.abort(new GitError('aborted', 'the connection was closed'))
    channel.once('close', close)
    const signal = AbortSignal.any([ended.signal, hearth.stopping, watchdog.signal])
    const endOperation = hearth.metrics.startGitOperation(operation, { repo })
    const principal = principalOf(caller, origin)
    let release = (): void => {}
    try {
      release = await transferSemaphore(hearth).acquire({ caller: principal, signal })
      const touch = (): void => {
        watchdog.touch()
        onProgress()
      }
      return await runAs(principal, () => run(signal, touch))
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    } finally {
      channel.off('close', close)
      watchdog.stop()
      endOperation()
      release()
    }
  }

  async #fetch(call: GitCall, path: string): Promise<void> {
    const { channel } = call
    const protocol = parseProtocolVersion(call.protocol)
    const opened = await this.#open(call, path, 'git-upload-pack')
    const { git } = this.hearth
    const advertised = git.advertise('git-upload-pack', opened.refs, protocol, {
      store: opened.store,
    })
    await send(channel, withoutAnnouncement('git-upload-pack', advertised))
    let sentBytes = 0
    for await (const body of readFetchRequests(inputOf(channel), protocol)) {
      const listing = git.listRefs(opened.refs, protocol, body)
      if (listing !== null) await send(channel, listing)
      else sentBytes = await this.#answer(call, opened, body, protocol === 2 ? 0 : sentBytes)
    }
  }

  /** Sends the response to one request without its first bytes. Returns how many it has. */
  async #answer(
    call: GitCall,
    { repo, store, refs }: Opened,
    body: Uint8Array,
    skippedBytes: number,
  ): Promise<number> {
    const protocol = parseProtocolVersion(call.protocol)
    return await this.#transfer(call, 'fetch', repo, async (signal, touch) => {
      const options = { turns: this.#turns, signal, skippedBytes, onProgress: touch }
      const sink = new ChannelSink(call.channel, options)
      try {
        const request = { protocol, body, signal }
        const file = await sink.orEnd(this.hearth.git.uploadPackInto(store, refs, request, sink))
        if (file !== null)
          for await (const chunk of Bun.file(file.path).stream()) await sink.send(chunk)
        await sink.sent()
        return sink.bytes
      } finally {
        sink.close()
      }
    })
  }

  async #push(call: GitCall, path: string): Promise<void> {
    const { caller, channel, origin } = call
    const { repo, store, refs } = await this.#open(call, path, 'git-receive-pack')
    const { git } = this.hearth
    // A push has no version 2 (gitprotocol-v2, "Capabilities").
    const protocol = parseProtocolVersion(call.protocol) === 1 ? 1 : 0
    const advertised = git.advertise('git-receive-pack', refs, protocol, { store })
    await send(channel, withoutAnnouncement('git-receive-pack', advertised))
    const input = inputOf(channel)
    await this.#transfer(call, 'push', repo, async (signal, touch) => {
      // The key may have been removed since the pack began.
      const pusher = { caller: () => this.#callerOfNow(caller), repo, origin }
      const apply = (push: Push) => this.#access.applyPush(pusher, push)
      const report = git.receivePack(store, refs, {
        protocol,
        body: watched(input, touch),
        isConversation: true,
        signal,
        onProgress: touch,
        apply,
      })
      for await (const chunk of report) await send(channel, chunk, signal)
    })
  }

  /** Where git-lfs finds the files of a repository that it reaches over SSH. */
  async #authenticateLfs(
    { caller, channel }: GitCall,
    { path, operation }: Extract<Known, { kind: 'git-lfs-authenticate' }>,
  ): Promise<void> {
    const { hearth } = this
    const repo = repoOf(path)
    const name = operation === 'upload' ? 'start_lfs_upload' : 'start_lfs_download'
    decide(requireOperation(hearth, name).access, caller, { repo }, hearth.facts)
    const token = lfsToken(hearth, {
      credential: caller.token?.id ?? null,
      repo: repo.toLowerCase(),
      operation,
      oid: null,
    })
    const answer = {
      href: `${hearth.settings.site_url}/${repo}.git/info/lfs`,
      header: { Authorization: `Bearer ${token}` },
      expires_in: LFS_TOKEN_LIFETIME_MS / 1000,
    }
    await send(channel, Buffer.from(`${JSON.stringify(answer)}\n`))
  }
}

/** The same stream, which notes that the client sends. */
const watched = (
  input: ReadableStream<Uint8Array>,
  touch: () => void,
): ReadableStream<Uint8Array> =>
  input.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        touch()
        controller.enqueue(chunk)
      },
    }),
  )
