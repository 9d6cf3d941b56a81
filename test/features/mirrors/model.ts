/**
 * A model of a repository, its remote, people who push to both, and the jobs of a mirror, with a
 * network that breaks and a process that dies between any two steps. The states (`nextLink`) and
 * the plan (`planRef`) are the real ones. Each guard can be left out, to show what it prevents.
 */
import { leaderOf, nextLink, type LinkFact, type LinkState } from '#features/mirrors/link-state.ts'
import { planRef, type Resolution } from '#features/mirrors/plan.ts'
import { findLoss } from '#features/mirrors/sync-options.ts'
import { MINUTE } from '#lib/time.ts'

export type Guard = 'epoch' | 'old value' | 'keep' | 'read again'

const MAIN = 'refs/heads/main'
const NAMES = [MAIN, 'refs/heads/a', 'refs/heads/b']
const RULES = { take_over_after: 10, hand_back: 'manual' } as const
const MAX_ROUNDS = 3

class NetworkError extends Error {}

/** Numbers of a linear congruential generator (Numerical Recipes). */
function randomOf(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761) >>> 0
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type Refs = Map<string, string>
type Job = Generator<void, void, void>

export class MirrorModel {
  readonly parents = new Map<string, string | null>()
  readonly ours: Refs = new Map()
  readonly theirs: Refs = new Map()
  readonly seen: Refs = new Map()
  readonly takenOver: Refs = new Map()
  readonly kept = new Set<string>()
  /** Commits that a user pushed and no user took away. */
  readonly owed = new Set<string>()
  /** Those of users of the service, in the takeover that goes on. */
  readonly acknowledged = new Set<string>()
  readonly losses: string[] = []
  handBacks = 0
  link: LinkState = {
    role: 'leader',
    state: 'setting_up',
    paused_from: null,
    epoch: 1,
    reachable: true,
    reachable_since: null,
    unreachable_since: null,
    first_failed_at: null,
    probes_failed: 0,
    probes_passed: 0,
    setup_failures: 0,
    checks_silent: false,
  }
  #random: (below: number) => number
  #isUp = true
  #clock = 0
  #job: Job | null = null
  #resolve: Resolution = {}

  constructor(
    seed: number,
    private readonly without: Guard | null = null,
  ) {
    this.#random = randomOf(seed)
    this.#commit(this.theirs, MAIN)
  }

  run(steps: number): void {
    for (let step = 0; step < steps && this.losses.length === 0; step++) {
      this.#step()
      this.#check(step)
    }
  }

  #step(): void {
    const choice = this.#random(20)
    if (choice < 3) return this.#userPushes(this.theirs)
    if (choice < 6) return leaderOf(this.link) === 'service' ? this.#userPushes(this.ours) : void 0
    if (choice === 6) return void (this.#isUp = this.#random(3) > 0)
    if (choice === 7) return this.#probe()
    if (choice === 8) return this.#decide()
    // The process dies; its rows stay.
    if (choice === 9) return void (this.#job = null)
    this.#work()
  }

  #commit(refs: Refs, name: string): void {
    const oid = `c${this.parents.size}`
    this.parents.set(oid, refs.get(name) ?? null)
    refs.set(name, oid)
    this.owed.add(oid)
    if (refs === this.ours) this.acknowledged.add(oid)
  }

  /** Pushes a commit, or takes commits away by a forced push or a deletion. */
  #userPushes(refs: Refs): void {
    const name = NAMES[this.#random(NAMES.length)] ?? MAIN
    const old = refs.get(name)
    const kind = this.#random(8)
    if (old === undefined || kind > 1) return this.#commit(refs, name)
    if (kind === 0 && name !== MAIN) refs.delete(name)
    else refs.set(name, this.parents.get(old) ?? old)
    this.#takeAway(old, refs)
  }

  /** What no ref of this side reaches any more is owed to nobody. */
  #takeAway(old: string, refs: Refs): void {
    const left = this.#reach(refs.values())
    for (const oid of this.#reach([old])) {
      if (left.has(oid)) continue
      this.owed.delete(oid)
      this.acknowledged.delete(oid)
    }
  }

  #reach(tips: Iterable<string>): Set<string> {
    const found = new Set<string>()
    for (const tip of tips)
      for (
        let at: string | null | undefined = tip;
        at !== null && at !== undefined && !found.has(at);
        at = this.parents.get(at)
      )
        found.add(at)
    return found
  }

  #contains = (a: string, b: string): boolean => this.#reach([a]).has(b)

  #apply(fact: LinkFact, epoch = this.link.epoch): boolean {
    if (this.#changed(epoch)) return false
    const step = nextLink(this.link, fact, RULES)
    if (!step) return false
    const before = this.link.state
    this.link = step.link
    if (step.effects.includes('record_refs')) {
      this.acknowledged.clear()
      for (const name of this.seen.keys()) {
        const oid = this.ours.get(name)
        if (oid !== undefined) this.takenOver.set(name, oid)
      }
    }
    if (before === 'handing_back' && step.link.state === 'standing_by') {
      this.handBacks++
      this.takenOver.clear()
    }
    return true
  }

  #changed = (epoch: number): boolean => this.without !== 'epoch' && epoch !== this.link.epoch

  #probe(): void {
    this.#clock += MINUTE
    this.#apply({ kind: 'probed', reached: this.#isUp, at: this.#clock })
  }

  #decide(): void {
    if (leaderOf(this.link) === 'remote') return void this.#apply({ kind: 'take_over' })
    this.#resolve = Object.fromEntries(
      NAMES.flatMap((name) => {
        const choice = this.#random(3)
        return choice === 0 ? [] : [[name, choice === 1 ? 'ours' : 'theirs']]
      }),
    )
    this.#apply({ kind: 'hand_back' })
  }

  #work(): void {
    this.#job ??= this.link.state === 'handing_back' ? this.#handBack() : this.#follow()
    try {
      if (this.#job.next().done) this.#job = null
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error
      this.#job = null
      if (this.link.state === 'handing_back') this.#apply({ kind: 'hand_back_failed' })
    }
  }

  #list(): Refs {
    if (!this.#isUp) throw new NetworkError()
    return new Map(this.theirs)
  }

  #moveOurs(name: string, to: string | null): void {
    const old = this.ours.get(name)
    if (old !== undefined && (to === null || !this.#contains(to, old))) this.#keep(old)
    if (to === null) this.ours.delete(name)
    else this.ours.set(name, to)
  }

  #keep(oid: string): void {
    if (this.without !== 'keep') this.kept.add(oid)
  }

  *#follow(): Job {
    const { epoch } = this.link
    const leads = leaderOf(this.link) === 'remote'
    const listed = this.#list()
    yield
    if (this.#changed(epoch)) return
    if (!leads) return this.#setSeen(listed)
    if (findLoss(this.seen, listed, MAIN) !== null) return
    const had = new Map(this.seen)
    for (const [name, oid] of listed) this.seen.set(name, oid)
    for (const name of new Set([...had.keys(), ...listed.keys()])) {
      yield
      if (this.#changed(epoch)) return
      const to = listed.get(name) ?? null
      if ((this.ours.get(name) ?? null) !== to) this.#moveOurs(name, to)
    }
    yield
    if (this.#changed(epoch)) return
    this.#setSeen(listed)
    this.#apply({ kind: 'fetched' }, epoch)
  }

  #setSeen(listed: Refs): void {
    this.seen.clear()
    for (const [name, oid] of listed) this.seen.set(name, oid)
  }

  #planned() {
    const names = new Set([...this.ours.keys(), ...this.seen.keys(), ...this.takenOver.keys()])
    return [...names].map((name) => {
      const ref = {
        name,
        taken_over: this.takenOver.get(name) ?? null,
        service: this.ours.get(name) ?? null,
        remote: this.seen.get(name) ?? null,
      }
      const rules = {
        remote_pushes: 'hold',
        resolve: this.#resolve,
        remoteIsBroken: findLoss(this.takenOver, this.seen, MAIN) !== null,
      } as const
      const action = planRef(ref, rules, (a, b) =>
        this.#contains(a, b) ? 'service' : this.#contains(b, a) ? 'remote' : 'neither',
      )
      return { ...ref, action }
    })
  }

  *#handBack(): Job {
    const { epoch } = this.link
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const listed = this.#list()
      yield
      if (this.#changed(epoch)) return
      this.#setSeen(listed)
      const plan = this.#planned()
      if (plan.some(({ action }) => action === 'conflict')) break
      for (const { name, action, remote } of plan) {
        if (action !== 'fetch') continue
        yield
        if (this.#changed(epoch)) return
        this.#resolveTheirs(name, remote)
      }
      for (const ref of plan) {
        if (ref.action === 'fetch' || ref.action === 'unchanged') continue
        yield
        if (this.#changed(epoch)) return
        this.#pushOne(ref)
      }
      yield
      const truth = new Map(this.theirs)
      const again = this.without === 'read again' ? new Map(this.ours) : this.#list()
      yield
      if (this.#changed(epoch)) return
      if (this.#isEqual(again)) {
        if (!this.#isEqual(truth)) this.losses.push('the remote leads with other refs')
        this.#setSeen(again)
        this.#apply({ kind: 'handed_back' }, epoch)
        return
      }
    }
    this.#apply({ kind: 'hand_back_failed' }, epoch)
  }

  /** A choice of an administrator takes the other side's commits off the branch, but keeps them. */
  #resolveTheirs(name: string, to: string | null): void {
    this.#moveOurs(name, to)
    const left = this.#reach(this.ours.values())
    for (const oid of [...this.acknowledged]) if (!left.has(oid)) this.acknowledged.delete(oid)
  }

  #pushOne({
    name,
    service,
    remote,
  }: {
    name: string
    service: string | null
    remote: string | null
  }): void {
    if (!this.#isUp) throw new NetworkError()
    if (remote !== null && (service === null || !this.#contains(service, remote)))
      this.#keep(remote)
    const isMoved = (this.theirs.get(name) ?? null) !== remote
    if (isMoved && this.without !== 'old value') return
    if (service === null) this.theirs.delete(name)
    else this.theirs.set(name, service)
    // The answer may be lost after the remote has moved.
    if (this.#random(6) === 0) throw new NetworkError()
  }

  #isEqual = (listed: Refs): boolean =>
    listed.size === this.ours.size &&
    [...listed].every(([name, oid]) => this.ours.get(name) === oid)

  #check(step: number): void {
    const here = this.#reach(this.ours.values())
    const anywhere = this.#reach([
      ...this.ours.values(),
      ...this.theirs.values(),
      ...this.seen.values(),
      ...this.takenOver.values(),
      ...this.kept,
    ])
    for (const oid of this.owed)
      if (!anywhere.has(oid)) this.losses.push(`${oid} is nowhere after step ${step}`)
    if (this.link.state !== 'takeover') return
    for (const oid of this.acknowledged)
      if (!here.has(oid)) this.losses.push(`${oid} is on no branch after step ${step}`)
  }
}

/** Runs histories; returns how many lost a commit, the first loss, and the completed hand-backs. */
export function runHistories(
  seeds: readonly number[],
  steps: number,
  without: Guard | null = null,
) {
  let lost = 0
  let handBacks = 0
  let first: string | null = null
  for (const seed of seeds) {
    const model = new MirrorModel(seed, without)
    model.run(steps)
    handBacks += model.handBacks
    if (model.losses.length === 0) continue
    lost++
    first ??= `seed ${seed}: ${model.losses[0]}`
  }
  return { lost, first, handBacks }
}
