/**
 * Has the forge copy a repository from elsewhere, over and over: however often it is cut off
 * meanwhile, in the end all of it must be there.
 */
import { startBackend } from '../../git/support/backend.ts'
import { makeHistory, refsOf } from '../../git/support/history.ts'
import { git, runGit, withToken } from '../../../scripts/support/git.ts'
import { ask, Client, Surprise, type Life } from './client.ts'
import type { Random } from './random.ts'

/** More branches than are made in one transaction. */
const BRANCHES = 450
/**
 * The answer to a fetch comes in so many parts, so that a cut falls between two of them now and
 * then.
 */
const PARTS = 12
const BETWEEN_MS = 25

export type Source = {
  readonly url: string
  readonly refs: ReadonlyMap<string, string>
  close(): Promise<void>
}

/** A server of git's own with one repository, which takes its time. */
export async function startSource(directory: string): Promise<Source> {
  const path = await makeHistory(directory, 'source.git', { seed: 77, commits: 60, files: 20 })
  const tips = (await git(path, 'rev-list', 'main')).trim().split('\n')
  const made = Array.from(
    { length: BRANCHES },
    (_, at) => `create refs/heads/more/${at} ${tips[at % tips.length]}\n`,
  )
  const { status, error } = await runGit(path, ['update-ref', '--stdin'], made.join(''))
  if (status !== 0) throw new Error(`the repository to copy could not be made: ${error}`)
  const backend = startBackend(directory)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const body = request.method === 'POST' ? await request.bytes() : null
      const answer = await fetch(`${backend.url}${pathname}${search}`, {
        method: request.method,
        headers: request.headers,
        body,
      })
      if (body === null || !Buffer.from(body).includes('command=fetch')) return answer
      const whole = await answer.bytes()
      let part = 0
      const { headers } = answer
      return new Response(
        new ReadableStream({
          async pull(controller) {
            await Bun.sleep(BETWEEN_MS)
            controller.enqueue(
              whole.subarray(
                Math.floor((part * whole.length) / PARTS),
                Math.floor(((part + 1) * whole.length) / PARTS),
              ),
            )
            if (++part === PARTS) controller.close()
          },
        }),
        { headers },
      )
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/source.git`,
    refs: await refsOf(path),
    async close() {
      await server.stop(true)
      await backend.close()
    },
  }
}

export class Importer extends Client {
  /** How many came whole. */
  imported = 0
  #id: string | null = null

  constructor(
    name: string,
    directory: string,
    random: Random,
    private readonly workspace: string,
    private readonly source: Source,
  ) {
    super(name, directory, random)
  }

  protected async step(life: Life): Promise<void> {
    const name = `${this.name}-${this.serial}`
    const repo = `${this.workspace}/${name}`
    if (this.#id === null) {
      this.#id = String(
        (
          await this.post(
            life,
            '/imports',
            { source: 'git', url: this.source.url, workspace: this.workspace, name },
            'import',
          )
        ).id,
      )
      return
    }
    const { status, body } = await ask(life, 'GET', `/imports/${this.#id}`)
    if (status !== 200)
      throw new Surprise(`the import into ${repo} answered ${status}: ${JSON.stringify(body)}`)
    if (body.finished_at === null) {
      // A moment in which refs are made is short: a cut may come right now.
      if ((body.progress as { phase?: string } | undefined)?.phase === 'refs') life.sending?.()
      await Bun.sleep(20)
      return
    }
    const state = String(body.state)
    const wanted = state === 'done' ? this.source.refs : new Map<string, string>()
    // One that was cut off again and again is given up, and then nothing of it may be there.
    if (state !== 'done' && !JSON.stringify(body.errors).includes('the server ended'))
      throw new Surprise(
        `the import into ${repo} ended as ${state}: ${JSON.stringify(body.errors)}`,
      )
    const shown = new Map(
      (
        await git(
          this.clone,
          'ls-remote',
          '--refs',
          withToken(`${life.url}/${repo}.git`, life.token),
        )
      )
        .split('\n')
        .filter(Boolean)
        .map((line): [string, string] => {
          const [oid = '', ref = ''] = line.split('\t')
          return [ref, oid]
        }),
    )
    const wrong = [...wanted].filter(([ref, oid]) => shown.get(ref) !== oid)
    if (wrong.length > 0 || shown.size !== wanted.size)
      throw new Surprise(
        `the import into ${repo} ended as ${state} with ${shown.size} refs instead of ${wanted.size}, ${wrong.length} of them elsewhere`,
      )
    for (const [ref, oid] of wanted) this.ledger.sending(repo, ref, oid)
    for (const [ref, oid] of wanted) this.ledger.note({ kind: 'push', repo, ref, oid })
    this.imported += state === 'done' ? 1 : 0
    this.#id = null
    this.serial++
  }
}
