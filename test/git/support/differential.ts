/**
 * The engine against git's own server: a random repository, the same requests of the same client to
 * both, and then the client must have the same. Everything follows from one number; a difference is
 * told with it.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Backend } from './backend.ts'
import { makeHistory, random } from './history.ts'
import type { TestHost } from './host.ts'
import { expectSound } from './sound.ts'
import { git, tryGit } from './real-git.ts'

/**
 * One conversation: git's arguments, step by step, in a new bare repository; `URL` stands for the
 * server.
 */
type Scenario = { readonly name: string; readonly steps: readonly (readonly string[])[] }

/** What a client has in the end. */
type Outcome = {
  readonly codes: readonly number[]
  readonly refs: string
  readonly shallow: string
  readonly objects: string
  readonly sound: string
  readonly said: string
}

export type Difference = {
  readonly seed: number
  readonly scenario: string
  readonly steps: string
  readonly what: string
}

type Picker = {
  (n: number): number
  of<T>(list: readonly T[]): T
  chance(probability: number): boolean
}

function picker(seed: number): Picker {
  const next = random(seed)
  const pick = (n: number) => Math.floor(next() * n)
  return Object.assign(pick, {
    of: <T>(list: readonly T[]): T => {
      const one = list[pick(list.length)]
      if (one === undefined) throw new Error('nothing to pick from')
      return one
    },
    chance: (probability: number) => next() < probability,
  })
}

export class Differential {
  constructor(
    private readonly host: TestHost,
    private readonly backend: Backend,
    /** What the backend serves. */
    private readonly directory: string,
  ) {}

  /** How many conversations were compared, by kind. */
  readonly counts = new Map<string, number>()
  /** Conversations in which git failed with its own server and went well with the engine. */
  gitFailed = 0

  /**
   * Makes the repository of a seed (of another size it is another), holds `scenarios` conversations
   * with both servers, and gives what differs.
   */
  async run(seed: number, scenarios: number, size: 'small' | 'any' = 'any'): Promise<Difference[]> {
    const pick = picker(seed * 7919 + 1)
    const name = `random-${seed}`
    const source = await makeHistory(this.directory, name, {
      seed,
      commits: 1 + pick(size === 'small' ? 20 : pick.chance(0.2) ? 150 : 40),
      files: 1 + pick(40),
      merges: pick.chance(0.8),
      tags: pick.chance(0.8),
      repack: pick.chance(0.7),
    })
    const differences: Difference[] = []
    try {
      await this.vary(source, pick)
      await this.host.create(name)
      await git(source, 'push', '-q', '--mirror', this.host.remote(name))
      const maintained = pick.chance(0.5)
      if (maintained) await this.host.git.maintain(name, [...this.host.refs.get(name)!.values()])
      if (maintained || size === 'any') await expectSound(this.host.root, [name])
      const facts = await factsOf(source)
      for (let i = 0; i < scenarios; i++) {
        const scenario = makeScenario(pick, facts, source)
        this.counts.set(scenario.name, (this.counts.get(scenario.name) ?? 0) + 1)
        const [ours, theirs] = await Promise.all([
          this.converse(
            scenario,
            this.host.remote(name),
            join(this.directory, `${name}-${i}-ours`),
          ),
          this.converse(
            scenario,
            `${this.backend.url}/${name}`,
            join(this.directory, `${name}-${i}-theirs`),
          ),
        ])
        // Git's own server and client do not get along in some corners, such as a tag of a tree
        // with a filter and a depth.
        if (theirs.codes.includes(1) && !ours.codes.includes(1) && ours.sound === 'sound') {
          this.gitFailed++
          continue
        }
        for (const key of ['codes', 'refs', 'shallow', 'objects', 'sound'] as const) {
          if (String(ours[key]) === String(theirs[key])) continue
          // With a depth, git sends more below a tree that a tag names than the filter lets
          // through.
          if (
            key === 'objects' &&
            scenario.name.startsWith('filtered, a depth') &&
            facts.tags.includes('refs/tags/tree') &&
            holds(theirs.objects, ours.objects)
          )
            break
          const steps = scenario.steps.map((step) => step.join(' ')).join('; ')
          differences.push({
            seed,
            scenario: scenario.name,
            steps,
            what: `${key}: ${compare(String(ours[key]), String(theirs[key]))}${ours.said}${theirs.said}`,
          })
          break
        }
      }
      return differences
    } finally {
      await this.host.git.removeStore(name).catch(() => {})
      rmSync(source, { recursive: true, force: true })
    }
  }

  /** Refs of every kind, and packs as they come about in life. */
  private async vary(source: string, pick: Picker): Promise<void> {
    // git-http-backend must offer what the engine offers. Refs in wants it must not: it puts its
    // sections in another order then than its own client reads them, when there is a depth.
    appendFileSync(
      join(source, 'config'),
      '[uploadpack]\n\tallowFilter = true\n\tallowTipSHA1InWant = true\n\tallowReachableSHA1InWant = true\n',
    )
    const commits = (await git(source, 'rev-list', '--all')).split('\n')
    const updates: string[] = []
    for (let i = pick(5); i > 0; i--)
      updates.push(`create refs/heads/topic/${i} ${pick.of(commits)}`)
    for (let i = pick(3); i > 0; i--)
      updates.push(`create refs/tags/light-${i} ${pick.of(commits)}`)
    if (pick.chance(0.3)) updates.push(`create refs/notes/${pick(3)} ${pick.of(commits)}`)
    if (pick.chance(0.2))
      updates.push(
        `create refs/tags/tree ${await git(source, 'rev-parse', `${pick.of(commits)}^{tree}`)}`,
      )
    await tryGit(source, ['update-ref', '--stdin'], {
      input: updates.map((line) => `${line}\n`).join(''),
    })
    const tag = (...args: string[]) =>
      tryGit(source, ['tag', ...args], { env: { GIT_COMMITTER_DATE: '1600005000 +0000' } })
    if (pick.chance(0.3)) await tag('-a', '-m', 'of a commit', 'annotated', pick.of(commits))
    if (pick.chance(0.3)) {
      await tag('-a', '-m', 'inner', 'inner', pick.of(commits))
      await tag('-a', '-m', 'of a tag', 'outer', 'inner')
      if (pick.chance(0.5)) await tag('-d', 'inner')
    }
    if (pick.chance(0.3)) await git(source, 'repack', '-adqb')
    if (pick.chance(0.3)) await git(source, 'commit-graph', 'write', '--reachable')
  }

  private async converse({ steps }: Scenario, url: string, path: string): Promise<Outcome> {
    // What `git init --bare` and `git remote add` make, without a process for each.
    for (const directory of ['objects', 'refs'])
      mkdirSync(join(path, directory), { recursive: true })
    writeFileSync(join(path, 'HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(
      join(path, 'config'),
      `[core]\n\trepositoryformatversion = 0\n\tbare = true\n[remote "origin"]\n\turl = ${url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`,
    )
    try {
      const codes: number[] = []
      let said = ''
      for (const step of steps) {
        const { code, err } = await tryGit(
          path,
          step.map((word) => word.replace('URL', url)),
        )
        codes.push(code)
        if (code !== 0) said += ` [${err.trim().slice(-300)}]`
      }
      // What a server says of a failure is its own; nothing may have come then.
      const refs = await git(path, 'for-each-ref', '--format=%(refname) %(objectname)')
      const objects = await tryGit(path, [
        'cat-file',
        '--batch-all-objects',
        '--batch-check=%(objectname) %(objecttype) %(objectsize)',
        '--unordered',
      ])
      const shallow = join(path, 'shallow')
      const partial = readFileSync(join(path, 'config'), 'utf8').includes('promisor')
      const connected = partial
        ? { code: 0, err: '' }
        : await tryGit(path, ['fsck', '--connectivity-only', '--no-dangling', '--no-progress'])
      return {
        codes: codes.map((code) => Math.min(code, 1)),
        said,
        refs,
        sound: connected.code === 0 ? 'sound' : connected.err,
        shallow: existsSync(shallow)
          ? readFileSync(shallow, 'utf8').trim().split('\n').sort().join('\n')
          : '',
        objects: objects.out.trim().split('\n').sort().join('\n'),
      }
    } finally {
      rmSync(path, { recursive: true, force: true })
    }
  }
}

type Facts = {
  readonly refs: readonly string[]
  readonly branches: readonly string[]
  readonly tags: readonly string[]
  readonly commits: readonly string[]
  readonly others: readonly string[]
}

async function factsOf(source: string): Promise<Facts> {
  const refs = (await git(source, 'for-each-ref', '--format=%(refname)')).split('\n')
  const objects = (await git(source, 'rev-list', '--objects', '--all', '--no-object-names')).split(
    '\n',
  )
  const commits = (await git(source, 'rev-list', '--all')).split('\n')
  const known = new Set(commits)
  return {
    refs,
    branches: refs.filter((ref) => ref.startsWith('refs/heads/')),
    tags: refs.filter((ref) => ref.startsWith('refs/tags/')),
    commits,
    others: objects.filter((oid) => !known.has(oid)),
  }
}

function makeScenario(pick: Picker, facts: Facts, source: string): Scenario {
  const version = pick(3)
  const fetch = (...args: string[]): string[] => [
    '-c',
    `protocol.version=${version}`,
    'fetch',
    '-q',
    ...args,
  ]
  const all = '+refs/*:refs/*'
  const since = () => `--shallow-since=@${1_600_000_000 + pick(9000)} +0000`.replace(' +0000', '')
  const depth = () => `--depth=${1 + pick(8)}`
  const exclude = () =>
    `--shallow-exclude=${pick.of([...facts.tags, ...facts.branches]).replace(/^refs\/(tags|heads)\//, '')}`
  const filter = () =>
    `--filter=${pick.of([
      'blob:none',
      `blob:limit=${pick(3000)}`,
      'blob:limit=1k',
      `tree:${pick(5)}`,
      `combine:tree:${1 + pick(3)}+blob:none`,
      `combine:blob:limit=${pick(2000)}+tree:3`,
      'object:type=commit',
      'object:type=tree',
      'object:type=blob',
      'object:type=tag',
    ])}`
  const branch = () => {
    const ref = pick.of(facts.branches)
    return `+${ref}:${ref}`
  }
  // What a client has from elsewhere: some commits, whole.
  const before = (): string[][] =>
    Array.from({ length: 1 + pick(2) }, (_, i) => [
      '-c',
      'uploadpack.allowAnySHA1InWant=true',
      'fetch',
      '-q',
      source,
      `+${pick.of(facts.commits)}:refs/have/${i}`,
    ])
  const promises: string[][] = [
    ['config', 'remote.origin.promisor', 'true'],
    ['config', 'extensions.partialClone', 'origin'],
    ['config', 'core.repositoryformatversion', '1'],
  ]
  const kinds: readonly [string, () => string[][]][] = [
    ['whole', () => [fetch('URL', all)]],
    ['one branch with its tags', () => [fetch('origin', branch())]],
    ['one branch without tags', () => [fetch('--no-tags', 'URL', branch())]],
    ['tags alone', () => [fetch('--tags', 'origin')]],
    ['what came since', () => [...before(), fetch('URL', all)]],
    ['one branch of what came since', () => [...before(), fetch('origin', branch())]],
    [
      'in two steps',
      () => [fetch('origin', branch()), fetch('origin', branch(), branch()), fetch('URL', all)],
    ],
    ['one object by its id', () => [fetch('URL', `${pick.of(facts.commits)}:refs/heads/x`)]],
    ['a depth', () => [fetch(depth(), 'URL', all)]],
    ['a depth of one branch', () => [fetch(depth(), 'origin', branch())]],
    [
      'a depth, then deeper',
      () => [fetch(depth(), 'URL', all), fetch(`--deepen=${1 + pick(6)}`, 'URL', all)],
    ],
    ['a depth, then another', () => [fetch(depth(), 'URL', all), fetch(depth(), 'URL', all)]],
    [
      'a depth, then all of it',
      () => [fetch(depth(), 'URL', all), fetch('--unshallow', 'URL', all)],
    ],
    [
      'a depth, then more branches',
      () => [fetch(depth(), 'origin', branch()), fetch('origin', branch()), fetch('URL', all)],
    ],
    ['since a date', () => [fetch(since(), 'URL', all)]],
    [
      'since a date, then deeper',
      () => [fetch(since(), 'URL', all), fetch(`--deepen=${1 + pick(4)}`, 'URL', all)],
    ],
    ['without what a ref has', () => [fetch(exclude(), 'URL', branch())]],
    [
      'without what a ref has, then more',
      () => [fetch(exclude(), 'URL', branch()), fetch(since(), 'URL', all)],
    ],
    ['a depth of what came since', () => [...before(), fetch(depth(), 'URL', all)]],
    ['filtered', () => [...promises, fetch(filter(), 'origin', all)]],
    ['filtered, a depth', () => [...promises, fetch(filter(), depth(), 'origin', all)]],
    [
      'filtered, then what is lacking',
      () => [
        ...promises,
        fetch(filter(), 'origin', all),
        [
          '-c',
          `protocol.version=${version}`,
          'rev-list',
          '--objects',
          '--quiet',
          pick.of(facts.refs),
        ],
      ],
    ],
    [
      'filtered, one object by its id',
      () => [
        ...promises,
        fetch('--filter=blob:none', 'origin', branch()),
        ['-c', `protocol.version=${version}`, 'cat-file', '-t', pick.of(facts.others)],
      ],
    ],
    [
      'filtered, of what came since',
      () => [...promises, ...before(), fetch(filter(), 'origin', all)],
    ],
  ]
  const [name, steps] = pick.of(kinds)
  return { name: `${name} (v${version})`, steps: steps() }
}

const holds = (all: string, some: string): boolean => {
  const set = new Set(all.split('\n'))
  return some.split('\n').every((line) => set.has(line))
}

function compare(ours: string, theirs: string): string {
  const [a, b] = [new Set(ours.split('\n')), new Set(theirs.split('\n'))]
  const only = (left: Set<string>, right: Set<string>) =>
    [...left].filter((line) => !right.has(line))
  const [more, less] = [only(a, b), only(b, a)]
  return `${more.length} more than git (${more.slice(0, 3).join(', ')}), ${less.length} fewer (${less.slice(0, 3).join(', ')})`
}
