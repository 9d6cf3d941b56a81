import { describe, expect, test } from 'bun:test'
import { anonymous, type Caller } from '#core/caller.ts'
import { callLines } from '#core/operation.ts'
import { Refusal } from '#lib/errors.ts'
import { setRepoVisibility } from '#features/repos/lifecycle/set-repo-visibility.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { getSession } from '#features/pulls/sessions/get-session.ts'
import { refusal } from '../../../world.ts'
import { makePullWorld, REPO } from '../fixture.ts'

const makeSession = async (entries = 3) => {
  const forge = await makePullWorld()
  const number = await forge.draft(forge.otto, null)
  const append = (...kinds: string[]) =>
    forge.world.call(appendSession, forge.otto, {
      repo: REPO,
      number,
      entries: kinds.map((kind, at) => ({ kind, text: `${kind} ${at}` })),
    })
  if (entries > 0) await append(...Array.from({ length: entries }, () => 'message'))
  return { ...forge, number, append }
}

test('entries after a number, oldest first, by kind and by pages', async () => {
  const { world, otto, number, append } = await makeSession(3)
  await append('thought', 'message')
  const read = (input: object) => world.call(getSession, otto, { repo: REPO, number, ...input })
  expect((await read({})).items.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
  expect((await read({ after: 3 })).items.map(({ seq }) => seq)).toEqual([4, 5])
  expect((await read({ kind: 'thought' })).items.map(({ seq }) => seq)).toEqual([4])
  expect(await read({ per_page: 2 })).toMatchObject({ items: [{ seq: 1 }, { seq: 2 }], next: '2' })
  expect(await read({ per_page: 2, cursor: '4' })).toMatchObject({
    items: [{ seq: 5 }],
    next: null,
  })
  expect(await refusal(read({ page: 2 }))).toMatchObject({ status: 422, field: 'page' })
  expect(await refusal(read({ wait: 26 }))).toMatchObject({ status: 422, field: 'wait' })
})

test('can be downloaded whole, by those who may read it', async () => {
  const { world, mel, otto, number, append, configure } = await makeSession(3)
  await append('thought', ...Array.from({ length: 199 }, () => 'message'))
  const all = (as: Caller, input: object = {}) =>
    [...callLines(world.hearth, getSession, as, { repo: REPO, number, ...input })] as {
      seq: number
      kind: string
    }[]
  expect(all(otto).map(({ seq }) => seq)).toEqual(Array.from({ length: 203 }, (_, at) => at + 1))
  expect(all(otto, { after: 3 })[0]).toMatchObject({ seq: 4, kind: 'thought' })
  expect(all(otto, { kind: 'thought' }).map(({ seq }) => seq)).toEqual([4])
  const [first] = (await world.call(getSession, mel, { repo: REPO, number })).items
  // Its author has no Write.
  expect(all(mel)[0] as object).toEqual({ ...first, _untrusted: ['/text'] })
  expect(() => callLines(world.hearth, getSession, anonymous, { repo: REPO, number })).toThrow(
    'the session of',
  )
  await configure({ session_visibility: 'public' })
  expect(all(anonymous).length).toBe(203)
})

test('is read as the repository’s setting says; its author reads it always', async () => {
  const { world, mel, otto, number, configure } = await makeSession(1)
  const noel = await world.user('noel')
  const read = (caller: Parameters<typeof world.call>[1]) =>
    world.call(getSession, caller, { repo: REPO, number })
  expect((await read(noel)).items).toHaveLength(1)
  expect(await refusal(read(anonymous))).toMatchObject({ status: 404 })
  await configure({ session_visibility: 'public' })
  expect((await read(anonymous)).items).toHaveLength(1)
  await configure({ session_visibility: 'members' })
  expect(await refusal(read(noel))).toMatchObject({ status: 404 })
  expect(await refusal(read(anonymous))).toMatchObject({ status: 404 })
  expect((await read(mel)).items).toHaveLength(1)
  expect((await read(otto)).items).toHaveLength(1)
})

describe('wait', () => {
  test('holds the answer back until an entry comes', async () => {
    const { world, otto, number, append } = await makeSession(1)
    let answered = false
    const reading = world
      .call(getSession, otto, { repo: REPO, number, after: 1, wait: 25 })
      .finally(() => void (answered = true))
    await world.call(getSession, otto, { repo: REPO, number })
    expect(answered).toBe(false)
    await append('message')
    expect((await reading).items).toMatchObject([{ seq: 2 }])
  })

  test('answers at once when there is something', async () => {
    const { world, otto, number } = await makeSession(1)
    expect(
      (await world.call(getSession, otto, { repo: REPO, number, wait: 25 })).items,
    ).toHaveLength(1)
  })

  test('goes on waiting while entries of other kinds come', async () => {
    const { world, otto, number, append } = await makeSession(0)
    const reading = world.call(getSession, otto, { repo: REPO, number, kind: 'answer', wait: 25 })
    await append('message')
    await append('answer')
    expect((await reading).items).toMatchObject([{ seq: 2, kind: 'answer' }])
  })

  test('ends empty when the time is over, and when the client goes away', async () => {
    const { world, otto, number } = await makeSession(0)
    expect((await world.call(getSession, otto, { repo: REPO, number, wait: 1 })).items).toEqual([])
    const gone = new AbortController()
    const reading = world.call(
      getSession,
      otto,
      { repo: REPO, number, wait: 25 },
      { signal: gone.signal },
    )
    await world.call(getSession, otto, { repo: REPO, number })
    gone.abort()
    expect((await reading).items).toEqual([])
  })

  test('ends within seconds once the reader may no longer read', async () => {
    const { world, ada, mel, number } = await makeSession(0)
    const noel = await world.user('noel')
    const waiting = (caller: Caller) =>
      refusal(world.call(getSession, caller, { repo: REPO, number, wait: 25 }))
    const stranger = waiting(noel)
    const started = performance.now()
    await world.call(setRepoVisibility, ada, { repo: REPO, private: true, confirm: REPO })
    expect(await stranger).toMatchObject({ status: 404 })
    expect(performance.now() - started).toBeLessThan(20_000)

    // The credential itself may end, and the setting of the session may change.
    const ended = refusal(
      world.call(
        getSession,
        mel,
        { repo: REPO, number, wait: 25 },
        {
          currentCaller: () => {
            throw new Refusal('unauthenticated', 'this token is not valid')
          },
        },
      ),
    )
    expect(await ended).toMatchObject({ status: 401 })
  })
})
