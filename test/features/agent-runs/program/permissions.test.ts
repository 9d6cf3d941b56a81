import { expect, test } from 'bun:test'
import { wishOf } from '#features/agent-runs/program/permissions.ts'

const titleOf = (command: unknown): string =>
  wishOf({ toolCall: { title: 'List files', kind: 'execute', rawInput: { command } } }).title

test('a person is told when a command goes on behind what is shown', () => {
  expect(titleOf('ls')).toBe('ls')
  expect(titleOf(['rm', '-r', 'src'])).toBe('rm -r src')
  expect(titleOf(`ls ${' '.repeat(2_000)}; rm -r src`)).toEndWith('… (1014 more characters)')
})
