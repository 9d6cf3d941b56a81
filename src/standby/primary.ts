/**
 * The machine that serves. It sends every commit to the standby. It refuses changes when another
 * machine has a higher term, when its lease has ended, or when the standby that must confirm changes
 * is away.
 */
import type { Server } from 'node:tls'
import type { CommitObserver, Replication, ReplicationStatus } from '#core/replication.ts'
import type { Log } from '#lib/log.ts'
import { MINUTE, SECOND, type Clock } from '#lib/time.ts'
import { ChannelError, listenForPeer, openChannel, type Address, type Channel } from './channel.ts'
import { CommitQueue } from './commit-queue.ts'
import { fenceText, refuseChange } from './fence.ts'
import { FollowerLink, type Feed } from './follower-link.ts'
import { Lease } from './lease.ts'
import type { PairKey } from './pair-key.ts'
import { parseAddress, greet, type Greeting } from './peer.ts'
import { readRole, writeRole, type Role } from './role.ts'
import { WalTail } from './wal-tail.ts'

export type PrimaryOptions = {
  readonly data: string
  readonly database: string
  readonly pageSize: number
  readonly listen: Address
  /** The other machine, where the settings name it. */
  readonly peer: string | null
  readonly acknowledge: 'local' | 'standby'
  readonly lease_ms: number | null
  readonly pair: PairKey
  readonly clock: Clock
  readonly log: Log
  /** `PRAGMA data_version` of the connection that commits. */
  readonly readVersion: () => number
  /** Holds a snapshot of the database (`holdSnapshot`). */
  readonly hold: () => () => void
  /** Makes the Writer read what other processes have committed. */
  readonly poke: () => void
  /** Called once when another machine has taken over. */
  readonly onFenced: () => void
}

/** The largest queue of commits for a standby that is away, and for one that is slow. */
const MAX_AWAY_BYTES = 64 * 1024 ** 2
const MAX_QUEUE_BYTES = 256 * 1024 ** 2
/** The queue for a standby that is away is dropped after this time. */
const MAX_AWAY_MS = 10 * MINUTE
/** A change that the standby has not confirmed by then is answered with 503. */
const CONFIRM_TIMEOUT_MS = 10 * SECOND
const GREET_INTERVAL_MS = 5 * SECOND
const PING_INTERVAL_MS = 2 * SECOND
const WRITABLE_CHECK_MS = 200
const CLOSE_TIMEOUT_MS = 3 * SECOND

export class Primary implements CommitObserver {
  #role: Role
  readonly #queue = new CommitQueue()
  readonly #tail: WalTail
  readonly #lease: Lease | null
  readonly #run = crypto.randomUUID()
  readonly #notes = new Set<string>()
  /** Notes whose files are on their way. */
  readonly #sentNotes = new Set<readonly string[]>()
  /**
   * Whether commits are read from the log. Before that, files are noted while the link compares all
   * of them (`noting`), and while the log is held, which the link reads then.
   */
  #reading: 'no' | 'noting' | 'held' | 'yes' = 'no'
  #link: FollowerLink | null = null
  #awaySinceMs: number
  #isDraining = false
  #isClosed = false
  #server: Server | null = null
  #greeter: ReturnType<typeof setInterval> | null = null
  #pinger: ReturnType<typeof setInterval> | null = null
  #changeWaiters: (() => void)[] = []
  #confirmWaiters: (() => void)[] = []

  constructor(private readonly options: PrimaryOptions) {
    this.#role = { ...readRole(options.data), lease_ms: options.lease_ms }
    if (options.peer !== null) this.#role = { ...this.#role, peer: options.peer }
    this.#tail = new WalTail(`${options.database}-wal`, options.readVersion)
    this.#lease = options.lease_ms === null ? null : new Lease(options.lease_ms, options.clock)
    this.#awaySinceMs = options.clock.now()
  }

  get role(): Role {
    return this.#role
  }

  /** Asks the other machine whether it has taken over, and accepts a standby. */
  async start(replication: Replication): Promise<void> {
    const { options } = this
    replication.readStatus = () => this.status()
    replication.onChange = (path) => {
      // Without a standby that could go on, all files are compared anyway.
      if (this.#reading === 'no') return
      this.#notes.add(path)
      this.#wake()
    }
    this.#server = await listenForPeer(options.listen, options.pair, (channel) => {
      this.#accept(channel).catch((error: unknown) => channel.close(error as Error))
    })
    await this.#greetPeer()
    this.#greeter = setInterval(() => void this.#greetPeer(), GREET_INTERVAL_MS)
    const pingMs = Math.min(PING_INTERVAL_MS, (options.lease_ms ?? Infinity) / 4)
    this.#pinger = setInterval(() => this.#ping(), pingMs)
  }

  get isWritable(): boolean {
    return this.#refusal() === null
  }

  /** Resolves when changes are allowed, which they never are again after a fence. */
  async untilWritable(): Promise<void> {
    while (!this.isWritable && !this.#isClosed) await Bun.sleep(WRITABLE_CHECK_MS)
  }

  /** Waits a moment for the standby to have everything. */
  async close(): Promise<void> {
    const until = performance.now() + CLOSE_TIMEOUT_MS
    while (this.#link?.isReady && this.#queue.length > 0 && performance.now() < until)
      await this.#confirmedOr(until - performance.now())
    this.#isClosed = true
    if (this.#greeter) clearInterval(this.#greeter)
    if (this.#pinger) clearInterval(this.#pinger)
    this.#link?.close(new ChannelError('the primary stops'))
    this.#tail.close()
    this.#reading = 'no'
    this.#wake()
    this.#wakeConfirmWaiters()
    this.#server?.close()
  }

  // --- What the Writer calls ---

  requireWritable(): void {
    const refusal = this.#refusal()
    if (refusal === null) return
    throw refuseChange(refusal)
  }

  opened(): void {
    this.#read(() => this.#tail.readEarlier())
  }

  committed(): void {
    this.#read(() => this.#tail.readCommitted())
  }

  async acknowledged(): Promise<void> {
    const { acknowledge } = this.options
    if (this.#role.role === 'fenced') this.requireWritable()
    if (this.#lease !== null && this.#role.complete && this.#lease.left_ms === 0)
      this.requireWritable()
    if (acknowledge === 'local' || !this.#role.complete) return
    const target = this.#queue.last
    const deadline = performance.now() + CONFIRM_TIMEOUT_MS
    // A standby that was detached meanwhile need not confirm anything.
    while (this.#role.complete && this.#queue.confirmed < target) {
      const leftMs = deadline - performance.now()
      if (leftMs <= 0 || this.#role.role === 'fenced' || this.#isClosed) {
        throw refuseChange(
          'the standby has not confirmed this change: look whether it was made before you repeat it',
        )
      }
      await this.#confirmedOr(leftMs)
    }
  }

  // --- State ---

  status(): ReplicationStatus {
    const { clock } = this.options
    const link = this.#link
    const oldest = this.#queue.oldest_ms
    const since = link?.isReady ? oldest : Math.min(oldest ?? Infinity, this.#awaySinceMs)
    return {
      role: this.#role.role === 'fenced' ? 'fenced' : 'primary',
      term: this.#role.term,
      standby: link?.address ?? null,
      lag_commits: this.#queue.length,
      lag_bytes: this.#queue.bytes,
      lag_ms: since === null ? 0 : Math.max(0, clock.now() - since),
      is_complete: link?.isReady ?? false,
      lease_left_ms: this.#lease?.left_ms ?? null,
      refusal: this.#refusal(),
    }
  }

  #refusal(): string | null {
    const { role, complete, peer } = this.#role
    if (role === 'fenced') return fenceText(peer)
    if (this.#isDraining) return 'this machine hands over to its standby: try again in a moment'
    if (!complete) return null
    if (this.#lease !== null && this.#lease.left_ms === 0)
      return 'the standby does not answer, so it may have taken over: nothing can be changed until it does, and reading goes on'
    if (this.options.acknowledge === 'standby' && !this.#link?.isReady)
      return 'the standby, which must confirm each change, is away: nothing can be changed until it is back, and reading goes on'
    return null
  }

  #setRole(change: Partial<Role>): void {
    this.#role = { ...this.#role, ...change }
    writeRole(this.options.data, this.#role)
  }

  #fence(term: number): void {
    if (this.#role.role === 'fenced' && this.#role.term >= term) return
    this.#setRole({ role: 'fenced', term })
    this.options.log.error('another machine has taken over: this one changes nothing any more', {
      term,
      peer: this.#role.peer,
    })
    this.options.onFenced()
    this.#wakeConfirmWaiters()
  }

  // --- Commits ---

  #read(read: () => Uint8Array[]): void {
    if (this.#reading !== 'yes') return
    try {
      const pieces = read()
      for (const piece of pieces) this.#queue.push(piece, this.options.clock.now())
      if (pieces.length > 0) this.#wake()
      const isAway = this.#link === null
      if (this.#queue.bytes > (isAway ? MAX_AWAY_BYTES : MAX_QUEUE_BYTES))
        this.#stopReading(new ChannelError('the standby is too slow'))
      else if (isAway && this.options.clock.now() - this.#awaySinceMs > MAX_AWAY_MS)
        this.#stopReading(new ChannelError('the standby was away too long'))
    } catch (error) {
      this.#stopReading(error as Error)
    }
  }

  /** From here on commits are missing, so the standby needs a new copy of the database. */
  #stopReading(reason: Error): void {
    this.#forgetNotes()
    this.#queue.clear()
    this.options.log.warn('the standby must compare its whole database', { reason: reason.message })
    this.#link?.close(reason)
  }

  /** The next standby compares all files. */
  #forgetNotes(): void {
    this.#reading = 'no'
    this.#notes.clear()
    this.#sentNotes.clear()
  }

  #wake(): void {
    for (const resolve of this.#changeWaiters.splice(0)) resolve()
  }

  #wakeConfirmWaiters(): void {
    for (const resolve of this.#confirmWaiters.splice(0)) resolve()
  }

  /** Waits until the standby confirms something or the state changes, or for a time. */
  async #confirmedOr(timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#confirmWaiters.push(resolve)
    const timer = setTimeout(resolve, timeoutMs)
    await promise
    clearTimeout(timer)
  }

  // --- The other machine ---

  #ping(): void {
    const link = this.#link
    if (this.#reading === 'yes' && this.#tail.isBehind()) this.options.poke()
    if (link) link.channel.ping(this.#lease?.ask() ?? performance.now())
  }

  /** Tells the other machine this one's term, and learns its. */
  async #greetPeer(): Promise<void> {
    const { peer } = this.#role
    if (peer === null || this.#link !== null || this.#isClosed) return
    const address = parseAddress(peer)
    if (address === null) return
    try {
      const channel = await openChannel(address, this.options.pair)
      try {
        this.#consider(await greet(channel, this.#greeting()), peer)
      } finally {
        channel.close()
      }
    } catch {
      // It is away. The state says so.
    }
  }

  #greeting(): Greeting {
    return { role: this.#role.role, term: this.#role.term }
  }

  #consider(other: Greeting, who: string): void {
    if (other.role === 'standby') return
    if (other.term > this.#role.term) this.#fence(other.term)
    else if (
      other.term === this.#role.term &&
      other.role === 'primary' &&
      this.#role.role === 'primary'
    )
      this.options.log.error('two machines serve with the same term: stop one of them', { who })
  }

  async #accept(channel: Channel): Promise<void> {
    const { message } = await channel.receive()
    if (message.type === 'greet') {
      this.#consider(message as unknown as Greeting, channel.remote)
      await channel.send({ type: 'greeting', ...this.#greeting() })
    } else if (message.type === 'status') {
      await channel.send({ type: 'status', ...this.#greeting(), status: this.status() })
    } else if (message.type === 'detach') {
      this.#detach()
      await channel.send({ type: 'detached', term: this.#role.term })
    } else if (message.type === 'hello') return await this.#follow(channel, message)
    channel.close()
  }

  /**
   * Goes on without the standby. The term rises by two, so that a standby which takes over
   * nevertheless (one more) is the one that is fenced.
   */
  #detach(): void {
    if (this.#role.role === 'fenced') throw new ChannelError('this machine is fenced')
    this.#setRole({ complete: false, term: this.#role.term + 2 })
    this.#link?.close(new ChannelError('the standby was detached'))
    this.#wakeConfirmWaiters()
  }

  async #follow(channel: Channel, hello: Record<string, unknown>): Promise<void> {
    if (Number(hello.term) > this.#role.term) this.#fence(Number(hello.term))
    // A standby that fenced this machine, and did not hear the end of it, may still fetch the rest.
    if (this.#role.role === 'fenced' && this.#role.term > Number(hello.term) + 1) {
      await channel.send({ type: 'stale', term: this.#role.term })
      return channel.close()
    }
    if (this.#link) this.#end(this.#link, 'another standby came')
    const { options } = this
    const address = String(hello.listen)
    const canResume =
      hello.run === this.#run &&
      this.#reading === 'yes' &&
      this.#queue.reaches(Number(hello.commit))
    const link = new FollowerLink(channel, address, this.#feed(), () => {
      this.#awaySinceMs = options.clock.now()
      if (!this.#role.complete || this.#role.peer !== address)
        this.#setRole({ complete: true, peer: options.peer ?? address })
      options.log.info('the standby follows', { standby: address })
    })
    this.#link = link
    channel.onPong = (asked) => this.#lease?.answer(asked)
    this.#ping()
    try {
      await channel.send({
        type: 'welcome',
        term: this.#role.term,
        run: this.#run,
        page_size: options.pageSize,
        acknowledge: options.acknowledge,
        lease_ms: options.lease_ms,
        until: canResume ? this.#queue.last : null,
      })
      await Promise.race([
        link.run(canResume ? Number(hello.commit) : null),
        this.#receiveFrom(link),
      ])
    } catch (error) {
      options.log.warn('the standby does not follow any more', { standby: address, error })
    } finally {
      this.#end(link)
    }
  }

  /** What a link has sent without an answer is sent again by the next one. */
  #end(link: FollowerLink, reason = 'the standby went'): void {
    link.close(new ChannelError(reason))
    if (this.#link !== link) return
    this.#link = null
    if (this.#reading !== 'yes') this.#forgetNotes()
    for (const path of [...this.#sentNotes].flat()) this.#notes.add(path)
    this.#sentNotes.clear()
    this.#awaySinceMs = this.options.clock.now()
    this.#wake()
  }

  async #receiveFrom(link: FollowerLink): Promise<never> {
    for (;;) {
      const { message } = await link.channel.receive()
      if (message.type === 'ack') {
        this.#queue.confirm(Number(message.commit))
        this.#wakeConfirmWaiters()
      } else if (message.type === 'drain') await this.#handOver(link, Number(message.term))
      else link.files.answer(message)
    }
  }

  /**
   * Stops changing things, sends the rest and fences itself for the term of the standby, which
   * serves after that.
   */
  async #handOver(link: FollowerLink, term: number): Promise<void> {
    const isExpected =
      this.#role.role === 'fenced' ? term >= this.#role.term : term > this.#role.term
    if (!link.isReady || !isExpected) throw new ChannelError('the standby cannot take over yet')
    this.#isDraining = true
    // The answers to requests for files come through this loop, so it must go on.
    void (async () => {
      await link.sendPending()
      await link.sendOtherFiles()
      this.#fence(term)
      await link.sendPending()
      await link.channel.send({ type: 'drained', commit: this.#queue.last })
    })().catch((error: unknown) => {
      this.#isDraining = false
      link.close(error as Error)
    })
  }

  #feed(): Feed {
    const { data, database, pageSize, hold } = this.options
    return {
      data,
      database,
      pageSize,
      queue: this.#queue,
      takeNotes: () => {
        const paths = [...this.#notes]
        if (paths.length === 0) return paths
        this.#notes.clear()
        this.#sentNotes.add(paths)
        return paths
      },
      confirmNotes: (paths) => void this.#sentNotes.delete(paths),
      hasNotes: () => this.#notes.size > 0,
      changed: () => new Promise<void>((resolve) => this.#changeWaiters.push(resolve)),
      startNotes: () => {
        if (this.#reading === 'no') this.#reading = 'noting'
      },
      holdLog: () => {
        const release = hold()
        this.#tail.start()
        this.#reading = 'held'
        return release
      },
      readHeldLog: () => this.#tail.readHeld(),
      startQueue: () => {
        // The standby confirms the last number when it has the whole copy.
        this.#queue.clear()
        this.#tail.settle()
        this.#reading = 'yes'
      },
    }
  }
}
