/**
 * A repository with many branches at the forge and at git's own server (`git http-backend` behind
 * lighttpd), both asked the same by real git in turns: pushing them all, listing, cloning, a fetch of
 * nothing, one more branch, deleting one. Then the pages and REST of the forge that list branches.
 * Every branch has a commit of its own.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { longestTurnOf } from './forge/longest-turn.ts'
import { ratio, table } from './forge/table.ts'
import { median } from './forge/wrk.ts'
import { gitTo, sendPush, writePush } from './git/client.ts'
import { cpuOf, watchMemory } from './git/processes.ts'
import { startGit, startHearth, type Hearth, type Server } from './git/servers.ts'
import { makeBranches, branchOf } from './histories/fast-import.ts'
import { git } from '../support/git.ts'
import { EXECUTABLE, requireBuilt } from '../support/forge.ts'
import { runScript, type Option } from '../support/options.ts'

const OPTIONS = {
  branches: { kind: 'count', default: '100000', help: 'How many branches there are.' },
  times: { kind: 'count', default: '5', help: 'How often each is asked; the median counts.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const REPO = 'branches'

type Step = {
  readonly name: string
  readonly run: (server: Server, round: number) => Promise<void>
  /** A step that can be done only once. */
  readonly once?: boolean
}

type Sample = { readonly cpu: number; readonly wall: number; readonly turn: number }

/** Waits until the forge has worked on the packs of the pushes. */
async function worked(forge: Hearth): Promise<void> {
  while (forge.jobs('maintain_store') > 0) await Bun.sleep(500)
}

function steps(
  source: string,
  directory: string,
  request: string,
  tidied: (server: Server) => Promise<void>,
): Step[] {
  const copyOf = (server: Server) => join(directory, `copy-${server.name}.git`)
  const push = (server: Server, ...refs: string[]) =>
    gitTo(server, '-C', source, 'push', '-q', server.address(REPO), ...refs)
  return [
    { name: 'push of main', once: true, run: (server) => push(server, 'main') },
    {
      // git's HTTP client compares each pushed branch with all others, which takes minutes.
      name: 'push of all branches',
      once: true,
      run: (server) => sendPush(server, REPO, request),
    },
    {
      name: 'own work afterwards',
      once: true,
      run: tidied,
    },
    { name: 'ls-remote', run: (server) => gitTo(server, 'ls-remote', server.address(REPO)) },
    {
      name: 'ls-remote of one branch',
      run: (server) =>
        gitTo(server, 'ls-remote', server.address(REPO), `refs/heads/${branchOf(7)}`),
    },
    {
      name: 'clone',
      run: async (server) => {
        rmSync(copyOf(server), { recursive: true, force: true })
        await gitTo(server, 'clone', '-q', '--mirror', server.address(REPO), copyOf(server))
      },
    },
    {
      name: 'clone of one branch',
      run: async (server, round) => {
        const to = join(directory, `one-${server.name}-${round}.git`)
        await gitTo(server, 'clone', '-q', '--bare', '--single-branch', server.address(REPO), to)
        rmSync(to, { recursive: true, force: true })
      },
    },
    {
      name: 'fetch of nothing',
      run: (server) => gitTo(server, '-C', copyOf(server), 'fetch', '-q', 'origin'),
    },
    {
      name: 'push of one more branch',
      run: (server, round) => push(server, `main~1:refs/heads/more-${round}`),
    },
    {
      name: 'push to a branch',
      run: (server, round) => push(server, `+main~${round + 2}:refs/heads/${branchOf(3)}`),
    },
    {
      name: 'deletion of a branch',
      run: (server, round) => push(server, `:refs/heads/${branchOf(100 + round)}`),
    },
  ]
}

if (import.meta.main) {
  await runScript('bun scripts/bench/branches.ts [options]', OPTIONS, async (options) => {
    const [count, times] = [Number(options.branches), Number(options.times)]
    const directory = mkdtempSync(join(tmpdir(), 'hearth-branches-'))
    const servers: Server[] = []
    try {
      const source = join(directory, 'source.git')
      await makeBranches(source, count)
      const request = join(directory, 'push')
      await writePush(source, request)
      const forge = await startHearth(requireBuilt(options.executable), join(directory, 'forge'))
      servers.push(forge)
      const root = join(directory, 'git')
      mkdirSync(root)
      const peer = await startGit('lighttpd', root, join(directory, 'lighttpd'))
      servers.push(peer)
      const samples = new Map<string, Map<string, Sample[]>>()
      const most = watchMemory(forge.pid, 50)
      const sample = async (
        pid: number,
        turns: boolean,
        run: () => Promise<unknown>,
      ): Promise<Sample> => {
        if (turns) await longestTurnOf(forge)
        const [cpu, began] = [cpuOf(pid), performance.now()]
        await run()
        const wall = performance.now() - began
        return {
          cpu: 1000 * (cpuOf(pid) - cpu),
          wall,
          turn: turns ? await longestTurnOf(forge) : 0,
        }
      }
      const note = (name: string, server: string, one: Sample): void => {
        const of = samples.get(name) ?? new Map<string, Sample[]>()
        samples.set(name, of)
        of.set(server, [...(of.get(server) ?? []), one])
      }
      for (const server of servers) await server.create(REPO)
      const begun = loadavg()[0] ?? 0
      for (const { name, run, once } of steps(source, directory, request, async (server) => {
        if (server === forge) await worked(forge)
        else await git(join(root, `${REPO}.git`), 'gc', '-q')
      }))
        for (let round = 0; round < (once ? 1 : times); round++) {
          for (const server of servers)
            note(
              name,
              server.name,
              await sample(server.pid, server === forge, () => run(server, round)),
            )
          if (round === 0) {
            const [one] = samples.get(name)?.get('hearth') ?? []
            const [two] = samples.get(name)?.get('git') ?? []
            process.stderr.write(
              `${name}: ${one?.cpu.toFixed(0)} / ${two?.cpu.toFixed(0)} ms, turn ${one?.turn.toFixed(0)}\n`,
            )
          }
        }
      const pages: readonly (readonly [string, string])[] = [
        ['page of the repository', `/acme/${REPO}`],
        ['page of branches', `/acme/${REPO}/branches`],
        ['page of branches, page 1000', `/acme/${REPO}/branches?page=1000`],
        ['page of branches with a word', `/acme/${REPO}/branches?q=99`],
        ['page of branches, a word in no name', `/acme/${REPO}/branches?q=nowhere`],
        ['page of a folder of a branch', `/acme/${REPO}/tree/${branchOf(5)}/`],
        ['page of a file', `/acme/${REPO}/blob/main/file-1.txt`],
        ['page of commits', `/acme/${REPO}/commits/main`],
        [
          'page of a commit',
          `/acme/${REPO}/commit/${(await git(source, 'rev-parse', 'main~5')).trim()}`,
        ],
        ['new pull request', `/acme/${REPO}/compare`],
        ['list_branches', `/api/v1/repos/acme/${REPO}/branches`],
        ['get_branch', `/api/v1/repos/acme/${REPO}/branches/${encodeURIComponent(branchOf(9))}`],
        ['get_repo', `/api/v1/repos/acme/${REPO}`],
      ]
      for (const [name, path] of pages)
        for (let round = 0; round <= times; round++)
          note(
            `${name}${round === 0 ? ', first' : ''}`,
            'hearth',
            await sample(forge.pid, true, async () => {
              const response = await fetch(`${forge.url}${path}`, {
                headers: { authorization: `Bearer ${forge.token}` },
              })
              await response.arrayBuffer()
              if (!response.ok) throw new Error(`${path} answered ${response.status}`)
            }),
          )
      const memory = most()
      say(
        `${count} branches; ${availableParallelism()} cores, load ${begun.toFixed(1)} to ${(loadavg()[0] ?? 0).toFixed(1)}; milliseconds, medians of ${times}. Most memory of the forge ${memory.toFixed(0)} MiB.`,
      )
      const of = (all: readonly Sample[], key: keyof Sample) => median(all.map((one) => one[key]))
      say(
        table(
          ['', 'processor', 'git', 'ratio', 'waiting', 'git', 'ratio', 'longest turn'],
          [...samples].map(([name, both]) => {
            const [ours, theirs] = [both.get('hearth') ?? [], both.get('git') ?? []]
            const pair = (key: 'cpu' | 'wall'): string[] => [
              of(ours, key).toFixed(1),
              theirs.length === 0 ? '' : of(theirs, key).toFixed(1),
              theirs.length === 0 ? '' : ratio(of(ours, key) / of(theirs, key)),
            ]
            return [
              name,
              ...pair('cpu'),
              ...pair('wall'),
              Math.max(...ours.map((one) => one.turn)).toFixed(0),
            ]
          }),
        ),
      )
      return 0
    } finally {
      for (const server of servers) await server.stop()
      rmSync(directory, { recursive: true, force: true })
    }
  })
}
