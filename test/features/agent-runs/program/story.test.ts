/** An agent program of the operator at work on an issue, in its box. */
import { describe, expect, test } from 'bun:test'
import { getRawFile } from '../../../read-file.ts'
import { refusal } from '../../../world.ts'
import { does, makeProgramWorld } from './fixture.ts'

const FIXED = 'export const add = (a, b) => a + b\n'

describe('the story', () => {
  test('an issue becomes a ready pull request', async () => {
    const { assign, world, run, pull, entries, money, provider } = await makeProgramWorld(
      [
        does(
          { think: 'It must add.' },
          { plan: ['Read', 'Write'] },
          { permission: ['edit', 'src/add.js'] },
          { write: ['src/add.js', FIXED] },
          { run: 'sh test.sh && echo fine' },
          { say: 'It adds ' },
          { say: 'now.' },
        ),
      ],
      { checks: ['sh test.sh'] },
    )
    const made = await assign()
    expect(made.pull).toMatchObject({ status: 'draft', agent: 'robot' })
    expect((await refusal(assign())).reason).toBe('in_progress')
    await world.jobs()
    const { number } = made.pull
    expect(run()).toMatchObject({ state: 'resting', reason: null })
    const done = await pull(number)
    expect([done.status, done.body]).toEqual(['open', 'It adds now.'])
    expect(done.checks.status).toBe('passed')
    const { text, message, author } = await getRawFile(world, number, 'src/add.js')
    expect([text, author]).toEqual([FIXED, 'ada'])
    expect(message).toContain('Co-authored-by: ada/robot <')
    const session = await entries(number)
    expect(session.map(({ seq }) => seq)).toEqual(session.map((_, at) => at + 1))
    const kinds = session.map(({ kind }) => kind)
    for (const kind of ['thought', 'plan', 'edit', 'usage', 'checkpoint', 'summary'])
      expect(kinds).toContain(kind)
    const said = session.filter(({ kind }) => kind === 'message').map((entry) => entry.text)
    expect(said).toEqual(['Assigned #1 to robot.', 'permission: once', 'It adds now.'])
    const tools = session.filter(({ kind }) => kind === 'tool').map(({ tool }) => tool)
    expect(tools).toEqual(['edit', 'execute'])
    expect(session.some((one) => one.kind === 'result' && one.text === 'fine\n')).toBe(true)
    const sums = money(number)
    expect(new Set(sums)).toEqual(new Set([100 + 80]))
    expect(JSON.stringify(provider.asked[0]?.body)).toContain('It should add.')
    expect(provider.asked[0]?.headers.get('authorization')).toBe('Bearer sk-test')
  })
})
