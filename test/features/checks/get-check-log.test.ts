import { expect, test } from 'bun:test'
import { getCheckLog } from '#features/checks/get-check-log.ts'
import { anonymous } from '#core/caller.ts'
import { setRepoVisibility } from '#features/repos/lifecycle/set-repo-visibility.ts'
import { refusal } from '../../world.ts'
import { makeCheckWorld, REPO, until } from './fixture.ts'

test('is read in parts, from anywhere, and says when it was the end', async () => {
  const { world, mel, checked, checks } = await makeCheckWorld()
  const number = await checked(mel, ['seq 1 2000; printf "grün 🌱"'])
  await world.jobs()
  const check = (await checks(number)).results[0]?.id ?? ''
  const read = (input: { after?: number; limit?: number; tail?: number }) =>
    world.call(getCheckLog, mel, { repo: REPO, number, check, ...input })
  const whole = await read({})
  expect(whole).toMatchObject({ check, status: 'passed', complete: true, next: null })
  expect(whole.text).toStartWith('1\n2\n3\n')
  let text = ''
  for (let after: number | null = 0; after !== null; ) {
    const part: Awaited<ReturnType<typeof read>> = await read({ after, limit: 7 })
    text += part.text
    after = part.next
  }
  expect(text).toBe(whole.text)
  expect((await read({ tail: 30 })).text).toBe('1998\n1999\n2000\ngrün 🌱')
  expect(await read({ after: 1_000_000 })).toMatchObject({ text: '', next: null, complete: true })
  expect(
    await refusal(world.call(getCheckLog, mel, { repo: REPO, number: number + 100, check })),
  ).toMatchObject({ status: 404 })
  expect(
    await refusal(world.call(getCheckLog, mel, { repo: REPO, number, check: 'chk_../../x' })),
  ).toMatchObject({ status: 404 })
})

test('is followed while it is written, by those who may see the repository', async () => {
  const { world, ada, mel, otto, checked, checks, hearth } = await makeCheckWorld()
  const number = await checked(mel, [
    'echo first; while [ ! -e /tmp/never ]; do sleep 0.1; i=$((i+1)); [ $i = 4 ] && break; done; echo second',
  ])
  const check = (await checks(number)).results[0]?.id ?? ''
  const jobs = world.jobs()
  const first = await world.call(getCheckLog, otto, { repo: REPO, number, check, wait: 20 })
  // It may have been told of the beginning before there was any output.
  const text =
    first.text === ''
      ? await world.call(getCheckLog, otto, { repo: REPO, number, check, wait: 20 })
      : first
  expect(text).toMatchObject({ text: 'first\n', complete: false, status: 'running' })
  const second = await world.call(getCheckLog, otto, {
    repo: REPO,
    number,
    check,
    after: text.next ?? 0,
    wait: 20,
  })
  expect(second.text).toBe('second\n')
  await jobs
  await world.call(setRepoVisibility, ada, { repo: REPO, private: true, confirm: REPO })
  expect(await refusal(world.call(getCheckLog, otto, { repo: REPO, number, check }))).toMatchObject(
    { status: 404 },
  )
  expect(
    await refusal(world.call(getCheckLog, anonymous, { repo: REPO, number, check })),
  ).toMatchObject({ status: 404 })
  await until(
    () => hearth.db.all(`SELECT 1 FROM check_results WHERE status = 'running'`).length === 0,
  )
})

test('waiting ends when the one who waits goes away', async () => {
  const { world, mel, checked, checks } = await makeCheckWorld()
  const number = await checked(mel, ['true'])
  const check = (await checks(number)).results[0]?.id ?? ''
  const controller = new AbortController()
  const waiting = world.call(
    getCheckLog,
    mel,
    { repo: REPO, number, check, wait: 25 },
    { signal: controller.signal },
  )
  controller.abort()
  expect(await waiting).toMatchObject({ text: '', status: 'queued', complete: false, next: 0 })
})

test('waiting ends within seconds once the reader may no longer read', async () => {
  const { world, ada, mel, otto, checked, checks } = await makeCheckWorld()
  const number = await checked(mel, ['true'])
  const check = (await checks(number)).results[0]?.id ?? ''
  const started = performance.now()
  const waiting = refusal(world.call(getCheckLog, otto, { repo: REPO, number, check, wait: 25 }))
  await world.call(setRepoVisibility, ada, { repo: REPO, private: true, confirm: REPO })
  expect(await waiting).toMatchObject({ status: 404 })
  expect(performance.now() - started).toBeLessThan(20_000)
})
