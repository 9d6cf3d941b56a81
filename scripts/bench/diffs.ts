/**
 * Large changes in a real browser: `bun scripts/bench/diffs.ts [--command "bun src/main.ts"]`. It
 * starts the forge, pushes a change of one file by 10,000 lines and one of 3,000 files, opens their
 * comparisons in Chromium (one column and side by side), reads them to the end and looks for a word
 * on the last line. Prints for each: the work of the browser's main thread until the page answers
 * (CPU time of all tasks), the longest task, how often it stood still for more than 50 ms, the work
 * of scrolling through, and what was transferred. CPU times, so that a busy machine does not change
 * them.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CHROMIUM } from '../support/chromium.ts'
import { chromium, type CDPSession, type Page } from 'playwright-core'

const root = join(import.meta.dir, '../..')
const LINES = 10_000
const FILES = 3_000

const { values } = parseArgs({ options: { command: { type: 'string' } } })
const executable = join(root, 'dist', 'hearth')
if (!values.command && !existsSync(executable))
  throw new Error('build it first: bun scripts/build.ts')

/** A repository with a branch of each large change, as a stream of git fast-import. */
function history(): string {
  const parts: string[] = []
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
  const commit = (branch: string, from: string | null, message: string) =>
    parts.push(
      `commit refs/heads/${branch}\ncommitter Ada <ada@example.com> 1700000000 +0000\n${data(message)}${from === null ? '' : `from refs/heads/${from}\n`}`,
    )
  const file = (path: string, text: string) => parts.push(`M 100644 inline ${path}\n${data(text)}`)
  const long = (word: string) =>
    `${Array.from({ length: LINES }, (_, at) => `  const ${word}${at} = compute(${at}, '${at % 3 === 0 ? word : 'same'} and a few more words') // ${at}`).join('\n')}\nthe ${word} end\n`
  const small = (at: number, word: string) =>
    `${Array.from({ length: 12 }, (_, line) => `export const value${line} = ${line === at % 12 ? `'${word}'` : line}`).join('\n')}\n`
  const pathOf = (at: number) => `src/part${at % 40}/module${Math.floor(at / 40)}/file${at}.ts`
  commit('main', null, 'Begin')
  file('long.ts', long('before'))
  for (let at = 0; at < FILES; at++) file(pathOf(at), small(at, 'before'))
  commit('long', 'main', 'A long one')
  file('long.ts', long('after'))
  commit('many', 'main', 'Many')
  const last = Array.from({ length: FILES }, (_, at) => at).reduce((most, at) =>
    pathOf(at) > pathOf(most) ? at : most,
  )
  for (let at = 0; at < FILES; at++)
    file(pathOf(at), small(at, at === last ? 'the after end' : 'after'))
  return parts.join('')
}

async function output(stream: ReadableStream<Uint8Array>, wanted: RegExp): Promise<string> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const found = wanted.exec(text)?.[1]
    if (found !== undefined) return found
    const { done, value } = await reader.read()
    if (done) throw new Error(`it ended early: ${text}`)
    text += decoder.decode(value, { stream: true })
  }
}

type Tasks = { readonly count: number; readonly longest: number; readonly sum: number }

/** Starts to note the tasks of over 50 ms of every page that follows. */
const watch = (page: Page) =>
  page.addInitScript(() => {
    const seen: number[] = []
    Object.assign(window, { tasks: seen })
    new PerformanceObserver((list) =>
      seen.push(...list.getEntries().map(({ duration }) => duration)),
    ).observe({ type: 'longtask', buffered: true })
  })

const tasksOf = (page: Page): Promise<Tasks> =>
  page.evaluate(() => {
    const seen = (window as unknown as { tasks: number[] }).tasks
    return {
      count: seen.length,
      longest: Math.max(0, ...seen),
      sum: seen.reduce((sum, one) => sum + one, 0),
    }
  })

async function work(session: CDPSession): Promise<{ task: number; nodes: number }> {
  const { metrics } = await session.send('Performance.getMetrics')
  const of = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? 0
  return { task: of('TaskDuration') * 1000, nodes: of('Nodes') }
}

const idle = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise<void>((resolve) => requestIdleCallback(() => resolve(), { timeout: 60_000 })),
  )

async function measure(page: Page, name: string, address: string, last: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  // Thread time does not count what other processes take.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  let bytes = 0
  await session.send('Network.enable')
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
  await page.goto('about:blank')
  const before = await work(session)
  await page.goto(address, { waitUntil: 'load' })
  await idle(page)
  const opened = await work(session)
  const tasks = await tasksOf(page)
  const loaded = bytes
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  // A reader's way down, four windows at a time, until nothing more comes.
  for (let at = 0, still = 0; still < 3 && at < 4_000; at++) {
    const end = await page.evaluate(() => {
      scrollBy(0, innerHeight * 4)
      return new Promise<boolean>((resolve) =>
        requestAnimationFrame(() =>
          setTimeout(() =>
            resolve(scrollY + innerHeight >= document.documentElement.scrollHeight - 2),
          ),
        ),
      )
    })
    still = end ? still + 1 : 0
    if (end)
      await page.locator('a[data-more][aria-busy]').waitFor({ state: 'detached', timeout: 60_000 })
  }
  const files = await page.locator('.diff-file').count()
  const read = await work(session)
  const later = await tasksOf(page)
  // What one page does not take is on others, which a link leads to.
  if (await page.locator('a[data-more]').isVisible())
    await page.goto(`${address}${address.includes('?') ? '&' : '?'}page=${Math.ceil(FILES / 100)}`)
  const found = await page.evaluate(
    (word) => (window as unknown as { find(word: string): boolean }).find(word),
    last,
  )
  const milliseconds = (value: number): string => `${value.toFixed(0)} ms`.padStart(9)
  process.stdout.write(
    `${name.padEnd(34)} opening${milliseconds(opened.task - before.task)}, longest task${milliseconds(tasks.longest)}, ${tasks.count} long tasks; reading to the end${milliseconds(read.task - opened.task)}, ` +
      `longest${milliseconds(later.longest)}; ${(loaded / 1024).toFixed(0)} KiB then ${(bytes / 1024).toFixed(0)}; ${opened.nodes} then ${read.nodes} nodes, ${height} px, ${files} files; the last line is ${found ? '' : 'NOT '}found\n`,
  )
  await session.detach()
}

const directory = mkdtempSync(join(tmpdir(), 'hearth-diffs-'))
const command = values.command?.split(' ') ?? [executable]
const child = Bun.spawn(
  [...command, 'serve', '--listen', '127.0.0.1:0', '--data', join(directory, 'data')],
  {
    cwd: root,
    env: { PATH: '/nonexistent', HOME: '/nonexistent' },
    stdout: 'pipe',
    stderr: Bun.file(join(directory, 'log')),
  },
)
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
})
try {
  const setup = await output(child.stdout, /setup: (\S+)\n/)
  const url = new URL(setup).origin
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  await page.goto(setup)
  for (const [name, value] of Object.entries({
    username: 'ada',
    email: 'ada@example.com',
    password: 'correct horse battery',
  }))
    await page.fill(`[name=${name}]`, value)
  await page.click('main button')
  await page.goto(`${url}/settings/tokens`)
  await page.fill('[name=name]', 'work')
  await page.click('main form[action="/settings/tokens"] button[class*=primary]')
  const token = (await page.textContent('#token-secret'))?.trim() ?? ''
  await fetch(`${url}/api/v1/repos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ workspace: 'ada', name: 'large' }),
  })
  const bare = join(directory, 'large.git')
  writeFileSync(join(directory, 'stream'), history())
  const git = async (line: string) => {
    const run = Bun.spawn(['sh', '-ec', line], { cwd: directory, stdout: 'ignore', stderr: 'pipe' })
    if ((await run.exited) !== 0) throw new Error(await new Response(run.stderr).text())
  }
  await git(
    `git init -q --bare ${bare} && git -C ${bare} fast-import --quiet < stream && git -C ${bare} push -q ${url.replace('://', `://x:${token}@`)}/ada/large.git main long many`,
  )
  await watch(page)
  for (const view of ['', '?view=split']) {
    const how = view === '' ? '' : ', side by side'
    await measure(
      page,
      `10,000 lines${how}`,
      `${url}/ada/large/compare/main...long${view === '' ? '?' : `${view}&`}path=long.ts`,
      'the after end',
    )
    await measure(
      page,
      `3,000 files${how}`,
      `${url}/ada/large/compare/main...many${view}`,
      'the after end',
    )
  }
} finally {
  await browser.close()
  child.kill()
  await child.exited
  rmSync(directory, { recursive: true, force: true })
}
