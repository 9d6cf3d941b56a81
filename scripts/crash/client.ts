/**
 * Clients that work while the forge is cut off under them. Each does its work in steps and remembers the one it is at: what
 * got no answer is asked again after the restart, with the same idempotency key, and must then be there exactly once.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git, GitFailed, withToken } from '../run/git.ts'
import { Ledger } from './ledger.ts'
import type { Random } from './random.ts'

/** One life of the forge, between two cuts. */
export type Life = {
  readonly url: string
  readonly token: string
  /** Set before it is cut; errors after that are expected. */
  over: boolean
  /** Told when a change is on its way: the moments in which a cut can do most harm. */
  sending?: () => void
}

/** The forge is gone: nobody knows what became of the request. */
export class Gone extends Error {}

export type Answer = { readonly status: number; readonly body: Record<string, unknown> }

/** Asks the REST interface. Throws Gone when no whole answer comes. */
export async function ask(life: Life, method: string, path: string, body?: unknown, key?: string): Promise<Answer> {
  try {
    if (method !== 'GET') life.sending?.()
    const response = await fetch(`${life.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${life.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
  } catch (error) {
    throw new Gone(error instanceof Error ? error.message : String(error))
  }
}

/** An answer that the client did not expect, while nothing was cut. */
class Surprise extends Error {}

/** Works step by step in a directory of its own until its forge is gone. */
export abstract class Client {
  readonly ledger: Ledger
  protected readonly clone: string
  protected serial = 0
  private ready = false

  constructor(
    readonly name: string,
    directory: string,
    protected readonly random: Random,
  ) {
    this.ledger = new Ledger(join(directory, `${name}.jsonl`))
    this.clone = join(directory, name)
  }

  /** Does the step it is at and goes to the next. */
  protected abstract step(life: Life): Promise<void>

  /** Gives up for good, until somebody looks, when an answer is one that nothing explains. */
  async work(life: Life): Promise<void> {
    try {
      if (!this.ready) {
        mkdirSync(this.clone, { recursive: true })
        await git(this.clone, 'init', '-q', '-b', 'main')
        this.ready = true
      }
      while (!life.over) await this.step(life)
    } catch (error) {
      if (life.over && (error instanceof Gone || error instanceof GitFailed)) return
      this.ledger.surprises.push(`${this.name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** A POST that must succeed; asked again in another life it has the same key, so that it happens once. */
  protected async post(life: Life, path: string, body: unknown, step: string): Promise<Record<string, unknown>> {
    const answer = await this.tryPost(life, path, body, step)
    if (answer.status >= 300) throw new Surprise(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  protected tryPost(life: Life, path: string, body: unknown, step: string): Promise<Answer> {
    return ask(life, 'POST', path, body, `${this.name}-${this.serial}-${step}`)
  }

  /** Makes a commit with one new file in the clone; gives its id. */
  protected async commit(file: string): Promise<string> {
    mkdirSync(join(this.clone, file, '..'), { recursive: true })
    writeFileSync(join(this.clone, file), `${file}\n${Array.from({ length: 20 }, () => this.random.next().toString(36)).join('\n')}\n`)
    await git(this.clone, 'add', file)
    await git(this.clone, 'commit', '-q', '-m', `Add ${file}`)
    return (await git(this.clone, 'rev-parse', 'HEAD')).trim()
  }

  /** Merges what the base has gained into the clone; gives the commit. */
  protected async catchUp(life: Life, repo: string): Promise<string> {
    await git(this.clone, 'fetch', '-q', withToken(`${life.url}/${repo}.git`, life.token), 'refs/heads/main')
    await git(this.clone, 'merge', '-q', '--no-edit', 'FETCH_HEAD')
    return (await git(this.clone, 'rev-parse', 'HEAD')).trim()
  }

  /** Pushes a commit and writes it down once git says that it arrived. */
  protected async push(life: Life, repo: string, ref: string, oid: string): Promise<void> {
    this.ledger.sending(repo, ref, oid)
    life.sending?.()
    await git(this.clone, 'push', '-q', withToken(`${life.url}/${repo}.git`, life.token), `${oid}:${ref}`)
    this.ledger.note({ kind: 'push', repo, ref, oid })
  }
}

/** Why a merge is refused when another one was first, which is nobody's fault. */
const ANOTHER_WAS_FIRST = 'base_moved'

type Change = { repo: string; issue: number; pull: number; commits: string[] }

/** Walks the whole loop again and again: issue, pull request, push to its fork, session, ready, merge, comment. */
export class Contributor extends Client {
  #at: 'issue' | 'pull' | 'push' | 'session' | 'ready' | 'merge' | 'comment' = 'issue'
  #change: Change = { repo: '', issue: 0, pull: 0, commits: [] }
  #wanted = 1
  /** Whether the session is told, so that what follows a push is the merge. */
  #told = false

  constructor(
    name: string,
    directory: string,
    random: Random,
    private readonly repo: () => string,
  ) {
    super(name, directory, random)
  }

  protected async step(life: Life): Promise<void> {
    const { ledger } = this
    const change = this.#change
    const { repo } = change
    const task = `${this.name} does task ${this.serial}`
    if (this.#at === 'issue') {
      // A task stays in the repository in which it began.
      const chosen = change.repo || this.repo()
      change.repo = chosen
      const made = await this.post(life, `/repos/${chosen}/issues`, { title: task, body: `What ${this.name} wants.` }, 'issue')
      change.issue = Number(made['number'])
      ledger.note({ kind: 'issue', repo: chosen, number: change.issue, id: String(made['id']), title: task })
      this.#at = 'pull'
    } else if (this.#at === 'pull') {
      const title = `${task}, solved`
      const { pull } = (await this.post(life, `/repos/${repo}/pulls`, { issue: change.issue, title, agent: this.name }, 'pull')) as { pull: { number: number; id: string } }
      change.pull = pull.number
      ledger.note({ kind: 'pull', repo, number: pull.number, id: pull.id, title })
      this.#wanted = this.random.chance(0.3) ? 2 : 1
      this.#told = false
      this.#at = 'push'
    } else if (this.#at === 'push') {
      await this.#pushNext(life)
    } else if (this.#at === 'session') {
      const text = `${task}: it is done`
      const entries = [{ kind: 'message', text: `${task}: it begins` }, { kind: 'tool', tool: 'sed', text: `${task}: a tool ran` }, { kind: 'summary', text }]
      const told = await this.post(life, `/repos/${repo}/pulls/${change.pull}/session`, { entries }, 'session')
      ledger.note({ kind: 'session', repo, number: change.pull, last_seq: Number(told['last_seq']), text })
      this.#told = true
      this.#at = 'ready'
    } else if (this.#at === 'ready') {
      await this.post(life, `/repos/${repo}/pulls/${change.pull}/ready`, { summary: `${task}. It works now.` }, 'ready')
      ledger.note({ kind: 'ready', repo, number: change.pull })
      this.#at = 'merge'
    } else if (this.#at === 'merge') {
      const method = ['merge', 'squash', 'rebase'][this.serial % 3]
      const { status, body } = await this.tryPost(life, `/repos/${repo}/pulls/${change.pull}/merge`, { method }, 'merge')
      const { error } = body as { error?: { reason?: string } }
      if (status === 409 && error?.reason === ANOTHER_WAS_FIRST) {
        change.commits.push(await this.catchUp(life, repo))
        this.#at = 'push'
        return
      }
      if (status >= 300) throw new Surprise(`merging ${repo}#${change.pull} answered ${status}: ${JSON.stringify(body)}`)
      ledger.note({ kind: 'merge', repo, number: change.pull, commit: String(body['merge_commit_sha']) })
      this.#at = 'comment'
    } else {
      const text = `${task}: thank you`
      const made = await this.post(life, `/repos/${repo}/issues/${change.issue}/comments`, { body: text }, 'comment')
      ledger.note({ kind: 'comment', repo, number: change.issue, id: String(made['id']), body: text })
      this.serial++
      this.#change = { repo: '', issue: 0, pull: 0, commits: [] }
      this.#at = 'issue'
    }
  }

  /** Pushes what the last life may have lost first, then one commit after the other. */
  async #pushNext(life: Life): Promise<void> {
    const { repo, pull, commits } = this.#change
    const fork = `${repo}/pull/${pull}`
    const ref = 'refs/heads/main'
    const last = commits.at(-1)
    const acknowledged = this.ledger.entries.filter((entry) => entry.kind === 'push' && entry.repo === fork).length
    if (last !== undefined && acknowledged < commits.length) return this.push(life, fork, ref, last)
    if (commits.length >= this.#wanted) {
      this.#at = this.#told ? 'merge' : 'session'
      return
    }
    if (last === undefined) {
      await git(this.clone, 'fetch', '-q', withToken(`${life.url}/${fork}.git`, life.token), ref)
      await git(this.clone, 'reset', '-q', '--hard', 'FETCH_HEAD')
    }
    commits.push(await this.commit(`${this.name}/${this.serial}-${commits.length}.txt`))
  }
}

/** Makes repositories, pushes their first commit, and commits through the interface: what a new store must survive. */
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
      const made = await this.post(life, '/repos', { workspace: this.workspace, name, private: true }, 'repo')
      this.ledger.note({ kind: 'repo', repo, id: String(made['id']) })
      this.#first = null
      this.#at = 'push'
    } else if (this.#at === 'push') {
      this.#first ??= await this.commit(`begin-${this.serial}.txt`)
      await this.push(life, repo, 'refs/heads/main', this.#first)
      this.#at = 'commit'
    } else if (this.#at === 'commit') {
      const files = [{ path: 'made-here.txt', action: 'put', content: `${name}\n` }]
      const made = await this.post(life, `/repos/${repo}/commits`, { branch: 'main', new_branch: 'topic', message: 'Made here', files }, 'commit')
      const oid = String((made['commit'] as { sha?: unknown } | undefined)?.sha ?? made['sha'])
      this.ledger.sending(repo, 'refs/heads/topic', oid)
      this.ledger.note({ kind: 'push', repo, ref: 'refs/heads/topic', oid })
      this.#at = 'issue'
    } else {
      const title = `${name} begins`
      const made = await this.post(life, `/repos/${repo}/issues`, { title }, 'issue')
      this.ledger.note({ kind: 'issue', repo, number: Number(made['number']), id: String(made['id']), title })
      this.serial++
      this.#at = 'repo'
    }
  }
}

/**
 * Prepares a repository with a first commit on main, for contributors to work in. Either a pull request must have all of its
 * base before it is merged, or the forge merges what has diverged.
 */
export async function prepareRepo(life: Life, directory: string, workspace: string, name: string, options: { upToDate: boolean }): Promise<string> {
  const full = `${workspace}/${name}`
  const must = async (method: string, path: string, input: unknown) => {
    const { status, body } = await ask(life, method, path, input)
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`)
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
