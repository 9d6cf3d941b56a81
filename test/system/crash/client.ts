/**
 * Clients that work while the forge is cut off under them. Each does its work in steps and
 * remembers the one it is at: what got no answer is asked again after the restart, with the same
 * idempotency key, and must then be there exactly once.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git, GitFailed, withToken } from '../../../scripts/support/git.ts'
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
export async function ask(
  life: Life,
  method: string,
  path: string,
  body?: unknown,
  key?: string,
): Promise<Answer> {
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
    return {
      status: response.status,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    }
  } catch (error) {
    throw new Gone(error instanceof Error ? error.message : String(error))
  }
}

/** An answer that the client did not expect, while nothing was cut. */
export class Surprise extends Error {}

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
      this.ledger.surprises.push(
        `${this.name}: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }

  /**
   * A POST that must succeed; asked again in another life it has the same key, so that it happens
   * once.
   */
  protected async post(
    life: Life,
    path: string,
    body: unknown,
    step: string,
  ): Promise<Record<string, unknown>> {
    const answer = await this.tryPost(life, path, body, step)
    if (answer.status >= 300)
      throw new Surprise(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  protected tryPost(life: Life, path: string, body: unknown, step: string): Promise<Answer> {
    return ask(life, 'POST', path, body, `${this.name}-${this.serial}-${step}`)
  }

  /** Makes a commit with one new file in the clone; gives its id. */
  protected async commit(file: string): Promise<string> {
    mkdirSync(join(this.clone, file, '..'), { recursive: true })
    writeFileSync(
      join(this.clone, file),
      `${file}\n${Array.from({ length: 20 }, () => this.random.next().toString(36)).join('\n')}\n`,
    )
    await git(this.clone, 'add', file)
    await git(this.clone, 'commit', '-q', '-m', `Add ${file}`)
    return (await git(this.clone, 'rev-parse', 'HEAD')).trim()
  }

  /** Merges what the base has gained into the clone; gives the commit. */
  protected async catchUp(life: Life, repo: string): Promise<string> {
    await git(
      this.clone,
      'fetch',
      '-q',
      withToken(`${life.url}/${repo}.git`, life.token),
      'refs/heads/main',
    )
    await git(this.clone, 'merge', '-q', '--no-edit', 'FETCH_HEAD')
    return (await git(this.clone, 'rev-parse', 'HEAD')).trim()
  }

  /** Pushes a commit and writes it down once git says that it arrived. */
  protected async push(life: Life, repo: string, ref: string, oid: string): Promise<void> {
    this.ledger.sending(repo, ref, oid)
    life.sending?.()
    await git(
      this.clone,
      'push',
      '-q',
      withToken(`${life.url}/${repo}.git`, life.token),
      `${oid}:${ref}`,
    )
    this.ledger.note({ kind: 'push', repo, ref, oid })
  }
}
