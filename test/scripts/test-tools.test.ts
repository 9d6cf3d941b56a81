import { expect, test } from 'bun:test'
import { installCommands, TEST_TOOLS } from '../../scripts/test-tools.ts'

test('what is missing is installed with the package manager of the machine', () => {
  const missing = TEST_TOOLS.filter(({ name }) => name === 'git' || name === 'slapd')
  expect(installCommands(missing, 0)).toEqual([
    'apt-get update -qq',
    'apt-get install -y --no-install-recommends git slapd',
  ])
  expect(installCommands(missing, 1)).toEqual(['dnf install -y git openldap-servers'])
  expect(installCommands(missing, -1)).toBeNull()
})
