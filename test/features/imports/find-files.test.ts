/** Files that texts of other forges name. */
import { describe, expect, test } from 'bun:test'
import { GiteaForge } from '#features/imports/forges/gitea.ts'
import { GitHubForge } from '#features/imports/forges/github.ts'
import { GitLabForge } from '#features/imports/forges/gitlab.ts'
import type { ForgeClient } from '#features/imports/forges/forge-client.ts'

const clientAt = (base: string): ForgeClient => ({ base }) as ForgeClient
const UUID = '01234567-89ab-cdef-0123-456789abcdef'
const HASH = '0123456789abcdef0123456789abcdef'

const gitea = new GiteaForge(clientAt('https://git.lan/below/api/v1'), 'ada', 'lamp')
const github = new GitHubForge(clientAt('https://api.github.com'), 'ada', 'lamp')
const gitlab = new GitLabForge(clientAt('https://lab.lan/api/v4'), 'group/ada', 'lamp', 0)

describe('Gitea', () => {
  const web = 'https://git.lan/below'
  test.each([
    [`![x](/attachments/${UUID})`, `/attachments/${UUID}`],
    [`<img src="${web}/attachments/${UUID}" width=3>`, `${web}/attachments/${UUID}`],
    [`${web}/ada/lamp/attachments/${UUID}.`, `${web}/ada/lamp/attachments/${UUID}`],
  ])('%s', (text, link) => {
    expect(gitea.filesIn(text)).toEqual([
      { link, name: null, urls: [`${web}/attachments/${UUID}`] },
    ])
  })

  test.each([
    `https://elsewhere.lan/attachments/${UUID}`,
    `https://git.lan/attachments/${UUID}`,
    `${web}/eve/other/attachments/${UUID}`,
    `(/attachments/${UUID.slice(1)})`,
    `(/attachments/../../admin)`,
  ])('%s is no file of this forge', (text) => {
    expect(gitea.filesIn(text)).toEqual([])
  })
})

test('GitHub has four forms of addresses, of its own hosts alone', () => {
  const links = [
    `https://github.com/user-attachments/assets/${UUID}`,
    'https://github.com/user-attachments/files/123/report%20one.pdf',
    `https://github.com/ada/lamp/assets/77/${UUID}`,
    'https://user-images.githubusercontent.com/77/1234-abcd.png',
  ]
  const found = github.filesIn(links.map((link) => `[a](${link})`).join(' and '))
  expect(found.map(({ link }) => link)).toEqual(links)
  expect(found.map(({ name }) => name)).toEqual([null, 'report one.pdf', null, '1234-abcd.png'])
  expect(found.every(({ link, urls }) => urls[0] === link)).toBe(true)
  for (const text of [
    `https://github.com.evil.lan/user-attachments/assets/${UUID}`,
    `https://github.com/eve/lamp/assets/77/${UUID}`,
    `/user-attachments/assets/${UUID}`,
    'https://raw.githubusercontent.com/77/1234-abcd.png',
  ])
    expect(github.filesIn(text)).toEqual([])
})

test('GitLab gives files by its interface, and by its website before version 17.4', () => {
  const project = 'https://lab.lan/group/ada/lamp'
  for (const link of [
    `/uploads/${HASH}/a%20b.png`,
    `${project}/uploads/${HASH}/a%20b.png`,
    `/group/ada/lamp/uploads/${HASH}/a%20b.png`,
  ])
    expect(gitlab.filesIn(`![a](${link})`)).toEqual([
      {
        link,
        name: 'a b.png',
        urls: [
          `https://lab.lan/api/v4/projects/group%2Fada%2Flamp/uploads/${HASH}/a%20b.png`,
          `${project}/uploads/${HASH}/a%20b.png`,
        ],
      },
    ])
  expect(gitlab.filesIn(`https://lab.lan/eve/x/uploads/${HASH}/a.png`)).toEqual([])
})

test('a text of nothing but addresses names a hundred files', () => {
  const many = Array.from(
    { length: 500 },
    (_, at) => `(/attachments/${at.toString(16).padStart(8, '0')}${UUID.slice(8)})`,
  ).join('')
  expect(gitea.filesIn(many)).toHaveLength(100)
  expect(gitea.filesIn('/attachments/'.repeat(20_000))).toEqual([])
})
