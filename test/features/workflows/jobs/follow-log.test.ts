/** Logs as text and as a stream of events, over REST. */
import { afterAll, expect, test } from 'bun:test'
import { expireLog, reportSteps } from '#features/workflows/index.ts'
import { startServer } from '#http/server.ts'
import { silentLog } from '#lib/log.ts'
import { makeRunsWorld } from '../fixture.ts'

async function makeLogWorld() {
  const made = await makeRunsWorld()
  const { hearth, push, take } = made
  const server = startServer({ host: '127.0.0.1', port: 0, log: silentLog, graceMs: 2000 })
  server.open(hearth)
  afterAll(() => server.stop())
  await push()
  const job = await take()
  if (!job) throw new Error('there is no job')
  const ask = (accept: string, query = '', headers: Record<string, string> = {}) =>
    fetch(`${server.url}/api/v1/repos/acme/site/actions/jobs/${job.id}/log${query}`, {
      headers: { accept, ...headers },
    })
  return {
    ...made,
    job,
    ask,
    write: (lines: number) =>
      reportSteps(hearth, job.id, [], { bytes: lines * 8, lines, state: 'live' }),
  }
}

/** Reads events until there are so many. */
async function readEvents(answer: Response, count: number): Promise<string[]> {
  const reader = answer.body?.getReader()
  let text = ''
  const events = () => [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([all]) => all)
  while (events().length < count) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) break
    text += new TextDecoder().decode(value)
  }
  await reader?.cancel()
  return events()
}

test('the whole log as text', async () => {
  const { ask, write, job, world } = await makeLogWorld()
  await write(2_500)
  const answer = await ask('text/plain')
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  const lines = (await answer.text()).trimEnd().split('\n')
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([2_500, 'line 1', 'line 2500'])
  expect(await (await ask('text/plain', '?tail=2')).text()).toBe('line 2499\nline 2500\n')
  expect(await (await ask('text/plain', '?after=2499')).text()).toBe('line 2500\n')
  expect((await ask('text/plain', '?grep=x')).status).toBe(422)
  expect((await ask('*/*')).headers.get('content-type')).toContain('application/json')
  await world.write((tx) => expireLog(tx, job.id))
  expect((await ask('text/plain')).status).toBe(404)
})

test('a stream has the lines as they are written, and ends with the job', async () => {
  const { ask, write, job, finish } = await makeLogWorld()
  await write(2)
  const stream = await ask('text/event-stream')
  const reading = readEvents(stream, 5)
  await write(4)
  await finish(job)
  const events = await reading
  expect(events.map((event) => event.split('\n')[0])).toEqual([
    ...['event: line', 'event: line', 'event: line', 'event: line'],
    'event: end',
  ])
  expect(events[3]).toContain('"n":4')
  // Whoever connects again goes on behind the last line.
  const again = await readEvents(await ask('text/event-stream', '', { 'last-event-id': '3' }), 2)
  expect(again[0]).toContain('"n":4')
  expect(again).toHaveLength(2)
})

test('a stream ends when the reader may not read any more', async () => {
  const { ask, write, world, ada } = await makeLogWorld()
  await write(1)
  const stream = await ask('text/event-stream')
  const reading = readEvents(stream, 100)
  const { updateRepo } = await import('#features/repos/index.ts')
  await world.call(updateRepo, ada, { repo: 'acme/site', private: true })
  const events = await reading
  expect(events.filter((event) => event.startsWith('event: end'))).toEqual([])
  expect((await ask('text/plain')).status).toBe(404)
}, 60_000)
