/** New stores: what makes a repository, and what prepares one for contributors. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git, withToken } from '../../../scripts/support/git.ts'
import { ask, Client, type Life } from './client.ts'
import type { Random } from './random.ts'

/**
 * Makes repositories, pushes their first commit, and commits through the interface: what a new
 * store must survive.
 */
export class Founder extends Client {
  #at: 'repo' | 'push' | 'commit' | 'issue' = 'repo'
  #first: string | null = null

  constructor(
    name: string,
    directory: string,
    random: Random,
    private readonly workspace: string,
  ) {
    super(name, directory, random)
  }

  protected async step(life: Life): Promise<void> {
    const name = `${this.name}-${this.serial}`
    const repo = `${this.workspace}/${name}`
    if (this.#at === 'repo') {
      const made = await this.post(
        life,
        '/repos',
        { workspace: this.workspace, name, private: true },
        'repo',
      )
      this.ledger.note({ kind: 'repo', repo, id: String(made.id) })
      this.#first = null
      this.#at = 'push'
    } else if (this.#at === 'push') {
      this.#first ??= await this.commit(`begin-${this.serial}.txt`)
      await this.push(life, repo, 'refs/heads/main', this.#first)
      this.#at = 'commit'
    } else if (this.#at === 'commit') {
      const files = [{ path: 'made-here.txt', action: 'put', content: `${name}\n` }]
      const change = { branch: 'main', new_branch: 'topic', message: 'Made here', files }
      const made = await this.post(life, `/repos/${repo}/commits`, change, 'commit')
      const oid = String((made.commit as { sha?: unknown } | undefined)?.sha ?? made.sha)
      this.ledger.sending(repo, 'refs/heads/topic', oid)
      this.ledger.note({ kind: 'push', repo, ref: 'refs/heads/topic', oid })
      this.#at = 'issue'
    } else {
      const title = `${name} begins`
      const made = await this.post(life, `/repos/${repo}/issues`, { title }, 'issue')
      this.ledger.note({
        kind: 'issue',
        repo,
        number: Number(made.number),
        id: String(made.id),
        title,
      })
      this.serial++
      this.#at = 'repo'
    }
  }
}

/**
 * Prepares a repository with a first commit on main, for contributors to work in. Either a pull
 * request must have all of its base before it is merged, or the forge merges what has diverged.
 */
export async function prepareRepo(
  life: Life,
  directory: string,
  workspace: string,
  name: string,
  options: { upToDate: boolean },
): Promise<string> {
  const full = `${workspace}/${name}`
  const must = async (method: string, path: string, input: unknown) => {
    const { status, body } = await ask(life, method, path, input)
    if (status >= 300)
      throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`)
  }
  await must('POST', '/repos', { workspace, name, private: true })
  await must('PATCH', `/repos/${full}/settings`, { require_up_to_date: options.upToDate })
  const clone = join(directory, `seed-${name}`)
  mkdirSync(clone, { recursive: true })
  await git(clone, 'init', '-q', '-b', 'main')
  writeFileSync(join(clone, 'README.md'), `# ${name}\n`)
  await git(clone, 'add', '.')
  await git(clone, 'commit', '-q', '-m', 'Begin')
  await git(clone, 'push', '-q', withToken(`${life.url}/${full}.git`, life.token), 'main')
  return full
}
