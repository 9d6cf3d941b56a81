import { expect, test } from 'bun:test'
import { startChecks, type NewChecks } from '#features/checks/start-run.ts'
import { makePullWorld } from '../pulls/fixture.ts'

test('what the queue tests does not wait behind what pull requests ask for', async () => {
  const { world, hearth, mel, otto, ready, pull, row, ref } = await makePullWorld()
  const numbers = [
    await ready(otto),
    await ready(otto, { 'docs/guide.txt': 'x\n' }),
    await ready(mel, { 'c.txt': 'c\n' }),
  ]
  const begin = (number: number, purpose: NewChecks['purpose']) =>
    world.write((tx) =>
      startChecks(tx, {
        repo_id: row().id,
        number,
        issue: null,
        commands: ['true'],
        head_sha: pull(number).head_sha ?? '',
        base_sha: ref('main'),
        purpose,
        timeout_minutes: 1,
        principal_id: otto.id,
      }),
    )
  const asked = [await begin(numbers[0] ?? 0, 'pull'), await begin(numbers[1] ?? 0, 'pull')]
  world.clock.advance(60_000)
  const candidate = await begin(numbers[2] ?? 0, 'queue')
  const order = hearth.db.all<{ run_id: string }>(
    `SELECT input ->> 'run_id' AS run_id FROM jobs WHERE kind = 'run_checks' ORDER BY run_at, id`,
  )
  expect(order.map(({ run_id }) => run_id)).toEqual([candidate ?? '', ...asked.map(String)])
})
