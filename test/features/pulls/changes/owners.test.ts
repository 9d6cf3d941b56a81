import { describe, expect, test } from 'bun:test'
import { getPull } from '#features/pulls/get-pull.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { createTeam, setTeamMember } from '#features/teams/index.ts'
import { refusal } from '../../../world.ts'
import { makePullWorld, REPO, text } from '../fixture.ts'

const OWNERS = '* @ada\n/docs/ @acme/writers\n*.txt mel@example.com @nobody\n/docs/free.txt\n'

async function owned() {
  const made = await makePullWorld({ require_code_owner_review: true, require_up_to_date: false })
  const { world, ada } = made
  await world.call(createTeam, ada, { workspace: 'acme', name: 'Writers', slug: 'writers' })
  await world.call(createTeam, ada, {
    workspace: 'acme',
    name: 'Poets',
    slug: 'poets',
    parent: 'writers',
  })
  await world.commit(REPO, 'main', { CODEOWNERS: OWNERS })
  const approve = (caller: typeof ada, number: number) =>
    world.call(reviewPull, caller, { repo: REPO, number, verdict: 'approve' })
  const blockers = async (number: number) =>
    (await world.call(getPull, ada, { repo: REPO, number })).blockers
  return { ...made, approve, blockers }
}

describe('an owner of each owned path must approve', () => {
  test('by name and by address, each for their own', async () => {
    const { world, ada, mel, max, otto, ready, approve, blockers } = await owned()
    const number = await ready(otto, {
      'a.txt': text({ 2: 'two' }),
      'b.txt': 'x\n',
      'code.ts': 'x\n',
    })
    expect(await blockers(number)).toMatchObject([
      {
        code: 'approvals_missing',
        details: {
          required: 0,
          counted: 0,
          owners: [
            { owners: ['mel@example.com', '@nobody'], paths: ['a.txt', 'b.txt'], count: 2 },
            { owners: ['@ada'], paths: ['code.ts'] },
          ],
        },
      },
    ])
    await approve(max, number)
    expect(await refusal(world.call(mergePull, max, { repo: REPO, number }))).toMatchObject({
      status: 409,
      reason: 'approvals_missing',
    })
    await approve(mel, number)
    expect(await blockers(number)).toMatchObject([
      { code: 'approvals_missing', details: { owners: [{ owners: ['@ada'] }] } },
    ])
    await approve(ada, number)
    expect(await blockers(number)).toEqual([])
    expect((await world.call(mergePull, max, { repo: REPO, number })).status).toBe('merged')
  })

  test('also of a path behind thousands of others', async () => {
    const { otto, ready, blockers } = await owned()
    const many = Object.fromEntries(
      Array.from({ length: 3_100 }, (_, at) => [
        `docs/free.txt/${String(at).padStart(4, '0')}`,
        `${at}\n`,
      ]),
    )
    const number = await ready(otto, { ...many, 'z.ts': 'x\n' })
    expect(await blockers(number)).toMatchObject([
      { details: { owners: [{ owners: ['@ada'], paths: ['z.ts'] }] } },
    ])
  })

  test('by anyone of a team and of the teams below it, as they are at that moment', async () => {
    const { world, ada, mel, max, otto, ready, approve, blockers } = await owned()
    const number = await ready(otto, { 'docs/new.md': 'x\n' })
    await approve(max, number)
    expect(await blockers(number)).toMatchObject([
      { code: 'approvals_missing', details: { owners: [{ owners: ['@acme/writers'] }] } },
    ])
    await world.call(setTeamMember, ada, { workspace: 'acme', team: 'poets', username: 'max' })
    expect(await blockers(number)).toEqual([])
    expect((await world.call(mergePull, mel, { repo: REPO, number })).status).toBe('merged')
  })

  test('a stale approval is none, and a path that a later rule leaves to nobody needs nobody', async () => {
    const { world, mel, otto, ready, approve, blockers, fork } = await owned()
    const free = await ready(otto, { 'docs/free.txt': 'x\n' })
    expect(await blockers(free)).toEqual([])
    const number = await ready(otto, { 'b.txt': 'x\n' })
    await approve(mel, number)
    expect(await blockers(number)).toEqual([])
    await world.commit(fork(number), 'main', { 'b.txt': 'y\n' }, { as: otto })
    expect(await blockers(number)).toMatchObject([{ code: 'approvals_missing' }])
  })

  test('the base says who owns, not the change; and when the base says something else, that counts', async () => {
    const { world, ada, otto, ready, blockers } = await owned()
    const number = await ready(otto, { 'b.txt': 'x\n', CODEOWNERS: '* @otto\n' })
    expect(await blockers(number)).toMatchObject([
      { details: { owners: [{ owners: ['@ada'], paths: ['CODEOWNERS'] }, { paths: ['b.txt'] }] } },
    ])
    await world.commit(REPO, 'main', { CODEOWNERS: '*.txt @mel\n' }, { as: ada })
    // It conflicts now as well; who owns what is of the new base.
    expect((await blockers(number)).find(({ code }) => code === 'approvals_missing')).toMatchObject(
      { details: { owners: [{ owners: ['@mel'], paths: ['b.txt'] }] } },
    )
  })

  test('not where the setting is off', async () => {
    const { otto, ready, blockers, configure } = await owned()
    const number = await ready(otto, { 'b.txt': 'x\n' })
    await configure({ require_code_owner_review: false })
    expect(await blockers(number)).toEqual([])
  })
})
