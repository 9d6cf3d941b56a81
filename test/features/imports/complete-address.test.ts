import { expect, test } from 'bun:test'
import { completeAddress } from '#features/imports/complete-address.ts'
import { Refusal } from '#lib/errors.ts'

test('a name without a host is on the public host of its forge', () => {
  expect(completeAddress('github_api', 'acme/site')).toBe('https://github.com/acme/site')
  expect(completeAddress('github_api', ' acme ')).toBe('https://github.com/acme')
  expect(completeAddress('gitlab_api', '/acme/tools/site/')).toBe(
    'https://gitlab.com/acme/tools/site',
  )
})

test('a host without a scheme gets https, and whole addresses stay as they are', () => {
  expect(completeAddress('gitea_api', 'git.example.com/acme/site')).toBe(
    'https://git.example.com/acme/site',
  )
  for (const address of ['http://127.0.0.1:8080/acme/site', 'git@github.com:acme/site.git'])
    expect(completeAddress('github_api', address)).toBe(address)
})

test('a name is refused for a forge without a public host, with the way out', () => {
  for (const source of ['git', 'gitea_api'] as const) {
    const refused = () => completeAddress(source, 'acme/site')
    expect(refused).toThrow(Refusal)
    expect(refused).toThrow('such as https://git.example.com/acme/site')
  }
})
