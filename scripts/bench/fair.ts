/**
 * Whether one caller with many clones holds up another with one. A repository is filled with
 * content that does not compress; then another person clones another repository alone, and again
 * while somebody clones the large one fifty times at once. Clones that are kept ready cost nothing,
 * so all of the fifty differ. Prints the times and their ratio, and what one of the fifty took;
 * exits with 1 when the one waited for the fifty.
 */
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeSetting } from './forge/setting.ts'
import { median } from './forge/wrk.ts'
import { EXECUTABLE, OWNER, requireBuilt } from '../support/forge.ts'
import { git, runGit, withToken } from '../support/git.ts'
import { runScript, type Option } from '../support/options.ts'

const OPTIONS = {
  clones: { kind: 'count', default: '50', help: 'How many clones at once somebody else makes.' },
  commits: {
    kind: 'count',
    default: '60',
    help: 'Commits of the large repository, each with a new mebibyte.',
  },
  times: {
    kind: 'count',
    default: '5',
    help: 'How often the one clone is made, alone and beside the others.',
  },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

await runScript('bun scripts/bench/fair.ts [options]', OPTIONS, async (options) => {
  const say = (text: string): void => void process.stdout.write(`${text}\n`)
  const directory = mkdtempSync(join(tmpdir(), 'hearth-fair-'))
  const executable = join(directory, 'hearth')
  copyFileSync(requireBuilt(options.executable), executable)
  const { forge, token } = await makeSetting(executable, join(directory, 'forge'), {
    HEARTH_GIT_KEPT_BYTES: '0',
  })
  try {
    const api = async (path: string, body: unknown): Promise<void> => {
      const response = await fetch(`${forge.url}/api/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`)
    }
    const fill = async (name: string, commits: number): Promise<void> => {
      await api('/repos', { workspace: OWNER.workspace, name, private: false })
      const work = join(directory, name)
      mkdirSync(work)
      await git(work, 'init', '-q', '-b', 'main')
      for (let n = 0; n < commits; n++) {
        writeFileSync(join(work, `part-${n}.bin`), randomBytes(1024 ** 2))
        await git(work, 'add', '.')
        await git(work, 'commit', '-q', '-m', `Part ${n}`)
      }
      await git(
        work,
        'push',
        '-q',
        withToken(`${forge.url}/${OWNER.workspace}/${name}.git`, token),
        'main',
      )
    }
    const commits = Number(options.commits)
    await fill('large', commits)
    await fill('small', 2)
    let made = 0
    // Another person: one without an account, beside one with a token.
    const clone = async (name: string, from: string, ...more: string[]): Promise<number> => {
      const into = join(directory, `clone-${made++}`)
      const began = performance.now()
      const { status, error } = await runGit(directory, [
        'clone',
        '-q',
        '--bare',
        ...more,
        `${from}/${OWNER.workspace}/${name}.git`,
        into,
      ])
      const took = performance.now() - began
      rmSync(into, { recursive: true, force: true })
      if (status !== 0) throw new Error(`git clone ${name}: ${error}`)
      return took
    }
    say(`${availableParallelism()} cores, load of the machine ${loadavg()[0]?.toFixed(1)}`)
    const alone: number[] = []
    for (let n = 0; n < Number(options.times); n++) alone.push(await clone('small', forge.url))
    const owner = withToken(forge.url, token)
    let over = 0
    const many = Array.from({ length: Number(options.clones) }, (_, n) =>
      clone('large', owner, `--depth=${commits - (n % commits)}`).finally(() => over++),
    )
    const all = Promise.all(many)
    const beside: { took: number; over: number }[] = []
    while (beside.length < Number(options.times) && over < many.length) {
      const took = await clone('small', forge.url)
      beside.push({ took, over })
    }
    const each = await all
    const [one, other] = [median(alone), median(beside.map(({ took }) => took))]
    say(
      `one clone alone: ${one.toFixed(0)} ms; while somebody else made ${many.length} of a larger repository: ${other.toFixed(0)} ms, ${(other / one).toFixed(1)} times`,
    )
    say(
      `of these ${many.length} one took ${median(each).toFixed(0)} ms, the last ${Math.max(...each).toFixed(0)} ms; ${beside.at(-1)?.over ?? 0} of them were over when the last single one was`,
    )
    // Behind all others it would have been among the last.
    const waited = median(beside.map(({ took }) => took)) > median(each)
    if (waited) say('the one waited for the many')
    return waited ? 1 : 0
  } finally {
    await forge.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})
