/** Commits that people push to two servers, and whether each can still be found. */
import { Database } from 'bun:sqlite'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Forge, Server } from './servers.ts'

const PUSH_TIMEOUT_MS = 60_000

export type Branch = `b${number}`

/** A commit that a server acknowledged. */
export type Acknowledged = {
  readonly oid: string
  readonly server: string
  readonly branch: Branch
}

type Ran = { readonly ok: boolean; readonly out: string; readonly err: string }

export class Commits {
  readonly acknowledged: Acknowledged[] = []
  refused = 0
  #made = 0

  constructor(private readonly work: string) {
    this.#git('init', '-q', '-b', 'main')
  }

  #git(...args: string[]): Ran {
    const { stdout, stderr, exitCode } = Bun.spawnSync(['git', ...args], {
      cwd: this.work,
      timeout: PUSH_TIMEOUT_MS,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: this.work,
        GIT_AUTHOR_NAME: 'Ada',
        GIT_AUTHOR_EMAIL: 'ada@example.com',
        GIT_COMMITTER_NAME: 'Ada',
        GIT_COMMITTER_EMAIL: 'ada@example.com',
        GIT_TERMINAL_PROMPT: '0',
      },
    })
    return {
      ok: exitCode === 0,
      out: stdout.toString().trim(),
      err: stderr.toString().trim(),
    }
  }

  /** Runs git while other work of this script goes on. */
  async #gitLater(...args: string[]): Promise<Ran> {
    const child = Bun.spawn(['git', ...args], {
      cwd: this.work,
      timeout: PUSH_TIMEOUT_MS,
      env: { PATH: process.env.PATH ?? '', HOME: this.work, GIT_TERMINAL_PROMPT: '0' },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    return { ok: (await child.exited) === 0, out: out.trim(), err: err.trim() }
  }

  #address({ repo, secret }: Server): string {
    return repo.replace('://', `://${secret}@`)
  }

  /** The branches of a server; null when it does not answer. */
  async branchesOf(server: Server): Promise<Map<string, string> | null> {
    const { ok, out } = await this.#gitLater('ls-remote', '--heads', this.#address(server))
    if (!ok) return null
    const lines = out.split('\n').filter((line) => line !== '')
    return new Map(
      lines.map((line) => {
        const [oid = '', name = ''] = line.split('\t')
        return [name.replace('refs/heads/', ''), oid]
      }),
    )
  }

  /** Commits on top of what the server has and pushes. Returns whether that was acknowledged. */
  async push(server: Server, branch: Branch): Promise<boolean> {
    const there = await this.branchesOf(server)
    if (there === null) return false
    const parent = there.get(branch)
    const tree = this.#git('hash-object', '-w', '-t', 'tree', '/dev/null').out
    const { out: oid } = this.#git(
      ...['commit-tree', tree, '-m', `${++this.#made} on ${server.name}`],
      ...(parent === undefined ? [] : ['-p', parent]),
    )
    const { ok } = await this.#gitLater(
      ...['push', '-q', this.#address(server), `${oid}:refs/heads/${branch}`],
    )
    if (ok) this.acknowledged.push({ oid, server: server.name, branch })
    else this.refused++
    return ok
  }

  /** Acknowledged commits that neither a branch nor a kept tip of either server reaches. */
  async lost(hearth: Forge, remote: Server): Promise<Acknowledged[]> {
    const tips = new Set<string>()
    for (const server of [hearth, remote]) {
      const branches = await this.branchesOf(server)
      if (branches === null) throw new Error(`${server.name} does not answer`)
      for (const oid of branches.values()) tips.add(oid)
    }
    for (const oid of keptTips(hearth)) tips.add(oid)
    const { out } = this.#git('rev-list', ...tips)
    const reached = new Set(out.split('\n'))
    return this.acknowledged.filter(({ oid }) => !reached.has(oid))
  }
}

/** The tips that Hearth keeps aside, whose history is whole in its store. */
function keptTips({ data }: Forge): string[] {
  const db = new Database(join(data, 'hearth.db'), { readonly: true })
  const oids = db
    .query<{ oid: string }, []>('SELECT DISTINCT oid FROM mirror_kept_refs')
    .all()
    .map(({ oid }) => oid)
  db.close()
  const [store = ''] = readdirSync(join(data, 'repos'))
  return oids.filter((oid) => {
    const { exitCode } = Bun.spawnSync(['git', 'rev-list', '--objects', oid], {
      cwd: data,
      env: {
        PATH: process.env.PATH ?? '',
        GIT_DIR: join(data, '..', '..', 'work', '.git'),
        GIT_OBJECT_DIRECTORY: join(data, 'repos', store, 'objects'),
      },
      stdout: 'ignore',
    })
    return exitCode === 0
  })
}
