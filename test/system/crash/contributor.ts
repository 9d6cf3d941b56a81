/**
 * Walks the whole loop, over and over: issue, pull request, push to its fork, session, ready,
 * merge, comment.
 */
import { git, withToken } from '../../../scripts/support/git.ts'
import { Client, Surprise, type Life } from './client.ts'
import type { Random } from './random.ts'

/** Why a merge is refused when another one was first, which is nobody's fault. */
const ANOTHER_WAS_FIRST = 'base_moved'

type Stage = 'issue' | 'pull' | 'push' | 'session' | 'ready' | 'merge' | 'comment'

/** One task and how far it is. */
type Task = {
  readonly name: string
  /** A task stays in the repository in which it began. */
  readonly repo: string
  /** How many commits it makes, unless it has to catch up with its base. */
  readonly wanted: number
  readonly commits: string[]
  acknowledged: number
  issue: number
  pull: number
  /** Whether the session is told, so that what follows a push is the merge. */
  told: boolean
}

export class Contributor extends Client {
  #at: Stage = 'issue'
  #task: Task | null = null

  constructor(
    name: string,
    directory: string,
    random: Random,
    private readonly repo: () => string,
  ) {
    super(name, directory, random)
  }

  #begin(): Task {
    return {
      name: `${this.name} does task ${this.serial}`,
      repo: this.repo(),
      wanted: this.random.chance(0.3) ? 2 : 1,
      commits: [],
      acknowledged: 0,
      issue: 0,
      pull: 0,
      told: false,
    }
  }

  protected async step(life: Life): Promise<void> {
    const task = (this.#task ??= this.#begin())
    this.#at = await this.#stages[this.#at](life, task)
  }

  /** What each stage does; it gives the next one. */
  readonly #stages: Readonly<Record<Stage, (life: Life, task: Task) => Promise<Stage>>> = {
    issue: async (life, task) => {
      const made = await this.post(
        life,
        `/repos/${task.repo}/issues`,
        { title: task.name, body: `What ${this.name} wants.` },
        'issue',
      )
      task.issue = Number(made.number)
      this.ledger.note({
        kind: 'issue',
        repo: task.repo,
        number: task.issue,
        id: String(made.id),
        title: task.name,
      })
      return 'pull'
    },

    pull: async (life, task) => {
      const title = `${task.name}, solved`
      const made = await this.post(
        life,
        `/repos/${task.repo}/pulls`,
        { issue: task.issue, title, agent: this.name },
        'pull',
      )
      const pull = made.pull as { number: number; id: string }
      task.pull = pull.number
      this.ledger.note({ kind: 'pull', repo: task.repo, number: pull.number, id: pull.id, title })
      return 'push'
    },

    push: async (life, task) => {
      const { repo, pull, commits } = task
      const fork = `${repo}/pull/${pull}`
      const last = commits.at(-1)
      if (last !== undefined && task.acknowledged < commits.length) {
        await this.push(life, fork, 'refs/heads/main', last)
        task.acknowledged = commits.length
        return 'push'
      }
      if (commits.length >= task.wanted) return task.told ? 'merge' : 'session'
      if (last === undefined) {
        await git(
          this.clone,
          'fetch',
          '-q',
          withToken(`${life.url}/${fork}.git`, life.token),
          'refs/heads/main',
        )
        await git(this.clone, 'reset', '-q', '--hard', 'FETCH_HEAD')
      }
      commits.push(await this.commit(`${this.name}/${this.serial}-${commits.length}.txt`))
      return 'push'
    },

    session: async (life, task) => {
      const { name, repo, pull } = task
      const text = `${name}: it is done`
      const entries = [
        { kind: 'message', text: `${name}: it begins` },
        { kind: 'tool', tool: 'sed', text: `${name}: a tool ran` },
        { kind: 'summary', text },
      ]
      const told = await this.post(
        life,
        `/repos/${repo}/pulls/${pull}/session`,
        { entries },
        'session',
      )
      this.ledger.note({
        kind: 'session',
        repo,
        number: pull,
        last_seq: Number(told.last_seq),
        text,
      })
      task.told = true
      return 'ready'
    },

    ready: async (life, { name, repo, pull }) => {
      await this.post(
        life,
        `/repos/${repo}/pulls/${pull}/ready`,
        { summary: `${name}. It works now.` },
        'ready',
      )
      this.ledger.note({ kind: 'ready', repo, number: pull })
      return 'merge'
    },

    merge: async (life, { repo, pull, commits }) => {
      const method = ['merge', 'squash', 'rebase'][this.serial % 3]
      const { status, body } = await this.tryPost(
        life,
        `/repos/${repo}/pulls/${pull}/merge`,
        { method },
        'merge',
      )
      const { error } = body as { error?: { reason?: string } }
      if (status === 409 && error?.reason === ANOTHER_WAS_FIRST) {
        commits.push(await this.catchUp(life, repo))
        return 'push'
      }
      if (status >= 300)
        throw new Surprise(`merging ${repo}#${pull} answered ${status}: ${JSON.stringify(body)}`)
      this.ledger.note({
        kind: 'merge',
        repo,
        number: pull,
        commit: String(body.merge_commit_sha),
      })
      return 'comment'
    },

    comment: async (life, { name, repo, issue }) => {
      const text = `${name}: thank you`
      const made = await this.post(
        life,
        `/repos/${repo}/issues/${issue}/comments`,
        { body: text },
        'comment',
      )
      this.ledger.note({ kind: 'comment', repo, number: issue, id: String(made.id), body: text })
      this.serial++
      this.#task = null
      return 'issue'
    },
  }
}
