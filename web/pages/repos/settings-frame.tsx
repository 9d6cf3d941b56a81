// The frame of the settings pages of a repository: all of them are in the navigation beside each.
import type { Repo } from '#features/repos/index.ts'
import { Columns, SideNav, type Tab } from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { repoPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { localized, t } from '../../text.ts'
import { RepoFrame } from './frame.tsx'

const GENERAL = localized([
  { key: 'general', label: 'General', path: '/settings', icon: 'settings' },
] as const)

/** Maintainers come to these, administrators to all. */
const CODE = localized([
  { key: 'rulesets', label: 'Rulesets', path: '/settings/rulesets', icon: 'shield' },
  { key: 'locks', label: 'Large files', path: '/locks', icon: 'file' },
] as const)

const MIRRORS = localized([
  { key: 'mirrors', label: 'Mirrors', path: '/settings/mirror', icon: 'refresh' },
] as const)

const ACCESS = localized([
  { key: 'collaborators', label: 'Collaborators', path: '/settings/collaborators', icon: 'users' },
  { key: 'keys', label: 'Deploy keys', path: '/settings/keys', icon: 'key' },
] as const)

const RUNS = localized([
  { key: 'variables', label: 'Variables and secrets', path: '/settings/variables', icon: 'key' },
  { key: 'environments', label: 'Environments', path: '/settings/environments', icon: 'upload' },
  { key: 'runners', label: 'Runners', path: '/settings/runners', icon: 'activity' },
  { key: 'run-storage', label: 'Storage of runs', path: '/settings/run-storage', icon: 'package' },
] as const)

const OTHERS = localized([
  { key: 'secrets', label: 'Secret scanning', path: '/security/secrets', icon: 'shield' },
  { key: 'hooks', label: 'Webhooks', path: '/settings/hooks', icon: 'webhook' },
] as const)

type Part = (
  | typeof GENERAL
  | typeof CODE
  | typeof MIRRORS
  | typeof ACCESS
  | typeof RUNS
  | typeof OTHERS
)[number]
export type SettingsPart = Part['key']

export const RepoSettingsFrame = ({
  visit,
  repo,
  title,
  part,
  children,
}: {
  visit: Visit
  repo: Repo
  title: string
  part: SettingsPart
  children?: Child
}) => {
  const { admin } = repo.permissions
  const tabs = (...parts: readonly Part[]): Tab[] =>
    parts.map(({ key, path, ...tab }) => ({
      ...tab,
      href: repoPath(repo.full_name, path),
      current: key === part,
    }))
  const groups = [
    { tabs: tabs(...GENERAL) },
    ...(admin ? [{ title: t('Access'), tabs: tabs(...ACCESS) }] : []),
    { title: t('Code'), tabs: tabs(...CODE, ...(admin ? MIRRORS : [])) },
    ...(admin
      ? [
          { title: t('Runs'), tabs: tabs(...RUNS) },
          { title: t('Security and integrations'), tabs: tabs(...OTHERS) },
        ]
      : []),
  ]
  return (
    <RepoFrame visit={visit} repo={repo} title={title} current="settings">
      <Columns side={<SideNav label={t('Settings')} groups={groups} />}>{children}</Columns>
    </RepoFrame>
  )
}
