import { expect, test } from 'bun:test'
import { parseSshCommand } from '#src/ssh/command.ts'

test('the commands of git are read with one path, quoted or not', () => {
  for (const text of [
    "git-upload-pack '/acme/site.git'",
    'git-upload-pack /acme/site.git',
    "git upload-pack '/acme/site.git'",
  ])
    expect(parseSshCommand(text)).toEqual({ kind: 'git-upload-pack', path: '/acme/site.git' })
  expect(parseSshCommand("git-receive-pack 'a/b'")).toEqual({
    kind: 'git-receive-pack',
    path: 'a/b',
  })
  for (const text of [
    'git-lfs-authenticate acme/site.git upload',
    "git-lfs-authenticate 'acme/site.git' upload abc",
  ])
    expect(parseSshCommand(text)).toEqual({
      kind: 'git-lfs-authenticate',
      path: 'acme/site.git',
      operation: 'upload',
    })
})

test('everything else is unknown', () => {
  for (const text of [
    '',
    'ls',
    'git-upload-pack',
    "git-upload-pack ''",
    "git-upload-pack 'a/b",
    "git-upload-pack 'a/b' --strict",
    "git-upload-pack 'a/b'; id",
    'git-upload-pack a/b c/d',
    "git-upload-pack 'a/b'\nid",
    'git-lfs-authenticate a/b verify',
    'git-lfs-transfer a/b upload',
    `git-upload-pack ${'a'.repeat(5000)}`,
  ])
    expect(parseSshCommand(text).kind).toBe('unknown')
})
