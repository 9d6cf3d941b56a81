/**
 * The machine that stands by: it keeps a copy of the primary's data, which is at one commit of the
 * primary at any moment, and takes over when it is told to.
 */
import type { Server } from 'node:tls'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '#lib/log.ts'
import { SECOND, timestamp, type Clock } from '#lib/time.ts'
import { BaseReceiver } from './base-copy.ts'
import {
  ChannelError,
  listenForPeer,
  openChannel,
  type Address,
  type Channel,
  type Received,
} from './channel.ts'
import { FileReceiver } from './file-receiver.ts'
import type { DirectoryListing } from './file-list.ts'
import { takeOverDelayMs } from './lease.ts'
import type { PairKey } from './pair-key.ts'
import { readRole, writeRole, type Role } from './role.ts'
import { isPageSize, mergeCommits } from './wal-format.ts'
import { WalWriter } from './wal-writer.ts'

export type FollowerOptions = {
  readonly data: string
  readonly primary: Address
  /** Where this machine accepts the other one, now and as the primary. */
  readonly listen: Address
  readonly pair: PairKey
  readonly clock: Clock
  readonly log: Log
  /** Empties the log of a database (`emptyLog`). */
  readonly emptyLog: (path: string) => void
}

export type FollowerStatus = {
  readonly role: 'standby'
  readonly term: number
  readonly primary: string
  readonly is_connected: boolean
  /** Whether it has caught up on this connection. */
  readonly is_following: boolean
  readonly is_complete: boolean
  readonly commit: number
  /** When the last commit that is here was made; null when none is known. */
  readonly committed_at: string | null
  /** Since the last message of the primary. */
  readonly silent_ms: number
}

const RETRY_MS = SECOND
/** The position is written to disk this often; after a crash a little is sent again. */
const POSITION_INTERVAL_MS = SECOND
const MAX_BATCH_BYTES = 8 * 1024 ** 2
const DRAIN_TIMEOUT_MS = 60 * SECOND
/** A primary that hands over sends pings more often than this. */
const MAX_SILENCE_MS = 5 * SECOND

export const addressText = ({ host, port }: Address): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`

/** Why this machine cannot take over. The message says what to do. */
export class TakeOverRefusal extends Error {}

export class Follower {
  #role: Role
  #channel: Channel | null = null
  #files: FileReceiver
  #writer: WalWriter | null = null
  #base: BaseReceiver | null = null
  #pageSize = 0
  /** The start of the primary that a copy of the database is of. */
  #nextRun: string | null = null
  /** Commits up to this one are applied as one, because they may be here already. */
  #mergeUntil = 0
  #merged: Uint8Array[] = []
  #isStopped = false
  #isFollowing = false
  #savedAtMs = 0
  /** The last answer to the primary, or the start: its lease may have begun then. */
  #promisedAtMs = performance.now()
  #heardAtMs = performance.now()
  #drained: (() => void) | null = null
  #server: Server | null = null
  #loop: Promise<void> = Promise.resolve()
  #endPause: () => void = () => {}
  /** Receives the messages of an administrator (`promote`). */
  onRequest: ((channel: Channel, request: Received) => Promise<void>) | null = null

  constructor(private readonly options: FollowerOptions) {
    this.#role = readRole(options.data)
    this.#files = new FileReceiver(options.data)
  }

  /** Makes the directory a standby and follows until `stop` or `takeOver`. */
  async start(): Promise<void> {
    const { data, primary, listen, pair } = this.options
    const wasOwner = this.#role.role !== 'standby'
    this.#setRole({
      role: 'standby',
      peer: addressText(primary),
      ...(wasOwner ? { complete: false, run: null, commit: 0, committed_at_ms: 0 } : {}),
    })
    // They may know more than the database that comes.
    if (wasOwner)
      for (const name of ['search.db', 'search.db-wal', 'search.db-shm'])
        rmSync(join(data, name), { force: true })
    this.#server = await listenForPeer(listen, pair, (channel) => {
      this.#accept(channel).catch((error: unknown) => channel.close(error as Error))
    })
    this.#loop = this.#followForever()
  }

  status(): FollowerStatus {
    const { term, complete, commit, committed_at_ms } = this.#role
    return {
      role: 'standby',
      term,
      primary: addressText(this.options.primary),
      is_connected: this.#channel !== null,
      is_following: this.#isFollowing,
      is_complete: complete,
      commit,
      committed_at: committed_at_ms === 0 ? null : timestamp(committed_at_ms),
      silent_ms: Math.round(performance.now() - this.#heardAtMs),
    }
  }

  /** Ends. The copy stays as it is, and the next start goes on. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#channel?.close()
    this.#endPause()
    await this.#loop
    await this.#base?.close()
    await this.#files.close()
    await this.#writer?.close()
    this.#server?.close()
    this.#setRole({})
  }

  /**
   * Makes this machine the primary. A primary that answers hands over everything first. One that
   * does not must have lost its right to change things, or be switched off (`force`). Throws
   * TakeOverRefusal without a change.
   */
  async takeOver(force: boolean, tell: (line: string) => void): Promise<Role> {
    if (!this.#role.complete && !force)
      throw new TakeOverRefusal(
        'this machine has never had everything, so it cannot take over; --force takes what there is',
      )
    if (this.#channel !== null && !this.#isFollowing && !force)
      throw new TakeOverRefusal(
        'this machine is connected and fetches what it lacks: take over when "hearth standby status" says that it follows',
      )
    if (!existsSync(join(this.options.data, 'hearth.db')))
      throw new TakeOverRefusal('there is no database here yet')
    const term = this.#role.term + 1
    const isHandedOver = await this.#askForHandOver(term)
    if (isHandedOver) tell('the first machine handed over everything and changes nothing any more')
    else await this.#requireOtherStopped(force, tell)
    await this.stop()
    const { committed_at_ms, commit } = this.#role
    if (!isHandedOver && committed_at_ms > 0)
      tell(
        `the last change that arrived is number ${commit}, made at ${timestamp(committed_at_ms)}`,
      )
    this.#setRole({ role: 'primary', term, complete: false, run: null })
    return this.#role
  }

  /** Asks the primary to hand over. Returns whether it did. */
  async #askForHandOver(term: number): Promise<boolean> {
    const channel = this.#channel
    if (channel === null) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#drained = () => resolve(true)
    const timer = setTimeout(() => resolve(false), DRAIN_TIMEOUT_MS)
    const watch = setInterval(() => {
      const isSilent = performance.now() - this.#heardAtMs > MAX_SILENCE_MS
      if (!channel.isOpen || isSilent) resolve(false)
    }, 50)
    try {
      await channel.send({ type: 'drain', term })
      return await promise
    } catch {
      return false
    } finally {
      this.#drained = null
      clearTimeout(timer)
      clearInterval(watch)
    }
  }

  async #requireOtherStopped(force: boolean, tell: (line: string) => void): Promise<void> {
    const { lease_ms, acknowledge } = this.#role
    if (lease_ms !== null) {
      // No answer may leave any more, because each one extends the lease.
      this.#isStopped = true
      this.#channel?.close()
      const leftMs = this.#promisedAtMs + takeOverDelayMs(lease_ms) - performance.now()
      if (leftMs > 0) {
        tell(
          `waiting ${Math.ceil(leftMs / SECOND)} s until the lease of the first machine has ended`,
        )
        await Bun.sleep(leftMs)
      }
      return tell('the lease of the first machine has ended, so it changes nothing any more')
    }
    if (acknowledge === 'standby')
      return tell('the first machine confirms no change without this one, so none is lost')
    if (!force)
      throw new TakeOverRefusal(
        'the first machine does not answer, and may still serve. Switch it off, then use --force',
      )
    tell('the first machine does not answer. It is told to stop as soon as it does')
  }

  #setRole(change: Partial<Role>): void {
    this.#role = { ...this.#role, ...change }
    this.#savedAtMs = performance.now()
    writeRole(this.options.data, this.#role)
  }

  async #accept(channel: Channel): Promise<void> {
    const request = await channel.receive()
    const { term } = this.#role
    if (request.message.type === 'greet')
      await channel.send({ type: 'greeting', role: 'standby', term })
    else if (request.message.type === 'status')
      await channel.send({ type: 'status', role: 'standby', term, status: this.status() })
    else await this.onRequest?.(channel, request)
    channel.close()
  }

  async #followForever(): Promise<void> {
    const { log, primary, pair } = this.options
    let lastFailure = ''
    while (!this.#isStopped) {
      try {
        const channel = await openChannel(primary, pair)
        // A follower that stopped meanwhile must answer no ping, because that extends the lease.
        if (this.#isStopped) return channel.close()
        channel.onPing = () => {
          this.#promisedAtMs = this.#heardAtMs = performance.now()
        }
        this.#channel = channel
        lastFailure = ''
        await this.#follow(channel)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        if (!this.#isStopped && reason !== lastFailure)
          log.warn('the primary cannot be followed', { primary: addressText(primary), reason })
        lastFailure = reason
      }
      this.#channel?.close()
      this.#channel = null
      this.#isFollowing = false
      await this.#pause(RETRY_MS)
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    if (this.#isStopped) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, milliseconds)
    this.#endPause = resolve
    await promise
    clearTimeout(timer)
  }

  async #follow(channel: Channel): Promise<never> {
    // What was begun on another connection is sent again.
    await this.#files.close()
    await this.#base?.close()
    this.#base = null
    this.#merged = []
    const { term, run, commit } = this.#role
    await channel.send({
      type: 'hello',
      term,
      run,
      commit,
      listen: addressText(this.options.listen),
    })
    for (;;) {
      const received = await channel.receive()
      this.#heardAtMs = performance.now()
      await this.#handle(channel, received)
    }
  }

  async #handle(channel: Channel, { message, bytes }: Received): Promise<void> {
    if (await this.#files.handle(message, bytes)) return
    if (this.#base && (await this.#base.handle(message, bytes))) return
    const { id } = message
    switch (message.type) {
      case 'welcome':
        return await this.#welcome(channel, message)
      case 'stale':
        throw new ChannelError('another machine has taken over from it: follow that one')
      case 'files': {
        const listings = message.listings as readonly DirectoryListing[]
        const differences = await this.#files.compare(listings)
        return await channel.send({ type: 'differences', id, differences })
      }
      case 'mark':
        await this.#files.flush()
        return await channel.send({ type: 'marked', id })
      case 'base':
        await this.#writer?.close()
        this.#base = await BaseReceiver.begin(this.options.data, this.#pageSize)
        return
      case 'hashes': {
        const blocks = await this.#base?.missing(Number(message.first), bytes)
        return await channel.send({ type: 'blocks', id, blocks: blocks ?? [] })
      }
      case 'base_end':
        return await this.#finishBase(channel, message)
      case 'following':
        this.#isFollowing = true
        if (!this.#role.complete) this.#setRole({ complete: true })
        return
      case 'commits':
        return await this.#apply(channel, { message, bytes })
      case 'drained':
        return this.#drained?.()
      default:
        throw new ChannelError(`the primary sent ${message.type}, which this version does not know`)
    }
  }

  async #welcome(channel: Channel, message: Received['message']): Promise<void> {
    const { data, emptyLog } = this.options
    const { term, run } = this.#role
    if (Number(message.term) < term) throw new ChannelError('the first machine has an older term')
    const until = message.until === null ? null : Number(message.until)
    if (!isPageSize(message.page_size))
      throw new ChannelError('the primary named a page size that no database has')
    this.#pageSize = message.page_size
    this.#mergeUntil = until ?? 0
    this.#writer ??= new WalWriter(join(data, 'hearth.db'), this.#pageSize, emptyLog)
    this.#setRole({
      term: Number(message.term),
      run: until === null ? run : String(message.run),
      acknowledge: message.acknowledge === 'standby' ? 'standby' : 'local',
      lease_ms: message.lease_ms === null ? null : Number(message.lease_ms),
    })
    this.#nextRun = String(message.run)
    await channel.send({ type: 'ack', commit: until === null ? 0 : this.#role.commit })
  }

  async #finishBase(channel: Channel, message: Received['message']): Promise<void> {
    await this.#files.flush()
    const commit = Number(message.commit)
    await this.#base?.finish(Number(message.pages), this.#replacedName())
    this.#base = null
    this.#setRole({ run: this.#nextRun, commit, committed_at_ms: this.options.clock.now() })
    await channel.send({ type: 'ack', commit })
  }

  /** A database that was not a copy may have changes that are nowhere else. It is kept. */
  #replacedName(): string | null {
    if (this.#role.run !== null) return null
    return `replaced-${timestamp(this.options.clock.now()).replaceAll(':', '-')}.db`
  }

  /** Appends commits, with those that have arrived meanwhile, and confirms them. */
  async #apply(channel: Channel, first: Received): Promise<void> {
    let last = first
    const frames = [first.bytes]
    let bytes = first.bytes.length
    while (channel.nextIs('commits') && bytes < MAX_BATCH_BYTES) {
      last = channel.receiveNow() as Received
      frames.push(last.bytes)
      bytes += last.bytes.length
    }
    const commit = Number(last.message.last)
    this.#merged.push(...frames)
    if (commit < this.#mergeUntil) return
    const whole = Buffer.concat(this.#merged)
    if (Number(first.message.last) <= this.#mergeUntil) mergeCommits(whole, this.#pageSize)
    this.#merged = []
    await this.#files.flush()
    await this.#writer?.append(whole)
    const position = { commit, committed_at_ms: Number(last.message.at_ms) }
    if (performance.now() - this.#savedAtMs > POSITION_INTERVAL_MS) this.#setRole(position)
    else this.#role = { ...this.#role, ...position }
    await channel.send({ type: 'ack', commit })
  }
}
