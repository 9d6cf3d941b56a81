/** Commits that people push to two servers, and whether each can still be found. */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import type { Place } from './servers.ts'

const PUSH_TIMEOUT_MS = 60_000
/** How long a killed server may be away. */
const MAX_AWAY_TRIES = 200
const AWAY_PAUSE_MS = 150

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

  #address({ repo, secret }: Place): string {
    return repo.replace('://', `://${secret}@`)
  }

  /** The branches of a server; null when it does not answer. */
  async branchesOf(server: Place): Promise<Map<string, string> | null> {
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
  async push(server: Place, branch: Branch): Promise<boolean> {
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

  /**
   * Acknowledged commits that neither a branch of one of the places nor a kept tip reaches. `data`
   * is the directory of the forge that keeps tips of its repository `name`.
   */
  async lost(places: readonly Place[], data: string, name: string): Promise<Acknowledged[]> {
    const tips = new Set<string>()
    for (const place of places) {
      let branches = await this.branchesOf(place)
      for (let tries = 0; branches === null; tries++) {
        if (tries > MAX_AWAY_TRIES) throw new Error(`${place.name} does not answer`)
        await Bun.sleep(AWAY_PAUSE_MS)
        branches = await this.branchesOf(place)
      }
      for (const oid of branches.values()) tips.add(oid)
    }
    for (const oid of this.#keptTips(data, name)) tips.add(oid)
    const { out } = this.#git('rev-list', ...tips)
    const reached = new Set(out.split('\n'))
    return this.acknowledged.filter(({ oid }) => !reached.has(oid))
  }

  /** The tips that Hearth keeps aside, whose history is whole in the store of the repository. */
  #keptTips(data: string, name: string): string[] {
    const db = new Database(join(data, 'hearth.db'), { readonly: true })
    // The first start after a kill reads the log of the database anew, and holds others off meanwhile.
    db.run('PRAGMA busy_timeout = 10000')
    const rows = db
      .query<{ oid: string; store: string }, [string]>(
        'SELECT DISTINCT oid, store FROM mirror_kept_refs JOIN repos ON repos.id = repo_id WHERE repos.name = ?',
      )
      .all(name)
    db.close()
    const isWhole = (oid: string, store: string): boolean =>
      Bun.spawnSync(['git', 'rev-list', '--objects', oid], {
        cwd: data,
        env: {
          PATH: process.env.PATH ?? '',
          GIT_DIR: join(this.work, '.git'),
          GIT_OBJECT_DIRECTORY: join(data, 'repos', store, 'objects'),
        },
        stdout: 'ignore',
      }).exitCode === 0
    return rows.flatMap(({ oid, store }) => (isWhole(oid, store) ? [oid] : []))
  }
}
