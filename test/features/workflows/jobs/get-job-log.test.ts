import { expect, test } from 'bun:test'
import { nowhere } from '#core/audit.ts'
import { anonymous } from '#core/caller.ts'
import { reportSteps } from '#features/workflows/index.ts'
import { logSearch } from '#features/workflows/jobs/log-search.ts'
import { getJobLog } from '#features/workflows/jobs/get-job-log.ts'
import { refusal } from '../../../world.ts'
import { makeRunsWorld, REPO } from '../fixture.ts'

test('by pages, from its end, and of one step', async () => {
  const { push, take, finish, world, hearth } = await makeRunsWorld()
  await push()
  const job = await take()
  const id = job?.id ?? ''
  const read = (input: object = {}) => world.call(getJobLog, anonymous, { ...REPO, id, ...input })
  const step = {
    status: 'completed',
    conclusion: 'success',
    started_at: null,
    finished_at: null,
  } as const
  await reportSteps(
    hearth,
    id,
    [
      { ...step, number: 1, name: 'a', log_from: 1, log_to: 10 },
      { ...step, number: 2, name: 'b', log_from: 11, log_to: 2_500 },
    ],
    { bytes: 20_000, lines: 2_500, state: 'live' },
  )
  const first = await read()
  expect([first.lines.length, first.next, first.complete]).toEqual([1_000, 1_000, false])
  const last = await read({ after: 2_000 })
  expect([last.lines[0]?.n, last.lines.length, last.next]).toEqual([2_001, 500, null])
  expect((await read({ tail: 2 })).lines.map(({ text }) => text)).toEqual([
    'line 2499',
    'line 2500',
  ])
  const one = await read({ step: 1 })
  expect([one.lines.length, one.lines.at(-1)?.n, one.next]).toEqual([10, 10, null])
  expect((await read({ step: 2, tail: 3 })).lines.map(({ n }) => n)).toEqual([2_498, 2_499, 2_500])
  expect((await refusal(read({ step: 3 }))).status).toBe(404)
  await finish(job)
  expect((await read({ after: 2_500 })).complete).toBe(true)
})

test('only the lines that match an expression, also beyond a page', async () => {
  const { push, take, world, hearth } = await makeRunsWorld()
  await push()
  const id = (await take())?.id ?? ''
  const find = (grep: string, input: object = {}) =>
    world.call(getJobLog, anonymous, { ...REPO, id, grep, ...input })
  await reportSteps(hearth, id, [], { bytes: 20_000, lines: 60_500, state: 'live' })
  const some = await find('line (7|59999)$')
  expect([some.lines.map(({ n }) => n), some.next]).toEqual([[7], 50_000])
  const rest = await find('line (7|59999)$', { after: some.next ?? 0 })
  expect([rest.lines.map(({ n }) => n), rest.next]).toEqual([[59_999], null])
  const many = await find('^line')
  expect([many.lines.length, many.lines.at(-1)?.n, many.next]).toEqual([1_000, 1_000, 1_000])
  expect((await find('LINE 7')).lines).toEqual([])
  expect((await find('(?i)LINE 60500$', { tail: 10 })).lines.map(({ n }) => n)).toEqual([60_500])
  for (const wrong of ['(', '(a{1,900}){1,900}', '(?=x)'])
    expect(await refusal(find(wrong))).toMatchObject({ status: 422, field: 'grep' })
})

test('one search of a caller at a time, and a bounded number in all', async () => {
  const { push, take, world, hearth, ada } = await makeRunsWorld()
  await push()
  const id = (await take())?.id ?? ''
  await reportSteps(hearth, id, [], { bytes: 20_000, lines: 10, state: 'live' })
  const from = (ip: string, signal?: AbortSignal) =>
    world.call(
      getJobLog,
      anonymous,
      { ...REPO, id, grep: 'line 7' },
      { origin: { ...nowhere, ip }, ...(signal && { signal }) },
    )
  const gone = new AbortController()
  const searches = Array.from({ length: 7 }, (_, n) => from(`192.0.2.${n}`))
  const abandoned = from('192.0.2.7', gone.signal).catch((error: unknown) => error)
  expect(await refusal(from('192.0.2.0'))).toMatchObject({ status: 429, reason: 'concurrency' })
  const eighth = world.call(getJobLog, ada, { ...REPO, id, grep: 'line 7' })
  expect(await refusal(eighth)).toMatchObject({ status: 503, reason: 'concurrency' })
  gone.abort()
  expect(await abandoned).toBe(gone.signal.reason)
  expect((await Promise.all(searches)).map(({ lines }) => lines.length)).toEqual(
    searches.map(() => 1),
  )
  expect((await from('192.0.2.0')).lines.length).toBe(1)
})

test('the time of a search is that of all its pages', async () => {
  const { hearth } = await makeRunsWorld()
  const line = `${'a'.repeat(4_000)}b`
  const page = Array.from({ length: 200 }, () => line)
  const pages = await logSearch(hearth).run(
    '(a|aa)*(a|b)*[^ab]$',
    { caller: 'ada', signal: new AbortController().signal },
    async (find) => {
      let count = 0
      while (count < 300 && (await find(page)) !== null) count++
      return count
    },
  )
  expect(pages).toBeGreaterThan(0)
  expect(pages).toBeLessThan(300)
}, 120_000)
