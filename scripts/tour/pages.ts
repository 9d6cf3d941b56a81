/** The addresses of every page that the site has, in the forge of `story.ts`. */
import { BRANCH, type Story } from './story.ts'

const REPO = '/bakery/oven'
export const fileAt = (path: string, view = 'blob', ref = 'main'): string => `/bakery/odd/${view}/${ref}/${path.split('/').map(encodeURIComponent).join('/')}`

/** Pages that somebody signed in, who runs the site, comes to. */
export const pagesOf = ({ commit, ruleset, hook, release }: Story): Readonly<Record<string, string>> => ({
  start: '/', explore: '/explore', docs: '/docs', 'docs-running': '/docs/running',
  profile: '/settings/profile', emails: '/settings/emails', security: '/settings/security', sessions: '/settings/sessions', tokens: '/settings/tokens', keys: '/settings/keys',
  applications: '/settings/applications', invites: '/settings/invites', 'notification-settings': '/settings/notifications', notifications: '/notifications', device: '/device', person: '/ada',
  admin: '/admin', 'admin-settings': '/admin/settings', 'admin-workspaces': '/admin/workspaces', 'admin-jobs': '/admin/jobs', 'admin-mail': '/admin/mail', 'admin-users': '/admin/users',
  'admin-backups': '/admin/backups', 'admin-audit': '/admin/audit',
  'new-workspace': '/workspaces/new', workspace: '/bakery', members: '/bakery/-/members', 'workspace-settings': '/bakery/-/settings', 'workspace-tokens': '/bakery/-/settings/tokens',
  deleted: '/bakery/-/settings/deleted', audit: '/bakery/-/audit', 'workspace-activity': '/bakery/-/activity', teams: '/bakery/-/teams', 'new-team': '/bakery/-/new-team',
  team: '/bakery/-/teams/bakers', 'team-settings': '/bakery/-/teams/bakers/settings', 'workspace-hooks': '/bakery/-/hooks', 'workspace-rulesets': '/bakery/-/rulesets',
  'new-workspace-ruleset': '/bakery/-/rulesets/new',
  'new-repo': '/new', 'empty-repo': '/bakery/recipes', repo: REPO, tree: `${REPO}/tree/main/src`, file: `${REPO}/blob/main/src/oven.ts`, document: `${REPO}/blob/main/README.md`,
  blame: `${REPO}/blame/main/src/oven.ts`, commits: `${REPO}/commits/main`, branches: `${REPO}/branches`, tags: `${REPO}/tags`, compare: `${REPO}/compare`, 'changed-files': `${REPO}/changed-files?head=main&back=${REPO}`,
  edit: `${REPO}/edit/main/README.md`, 'new-file': `${REPO}/new/main`, upload: `${REPO}/upload/main`, delete: `${REPO}/delete/main/LICENSE`, owners: `${REPO}/code-owners`, activity: `${REPO}/activity`, agents: `${REPO}/agents`,
  'repo-settings': `${REPO}/settings`, collaborators: `${REPO}/settings/collaborators`, hooks: `${REPO}/settings/hooks`, hook: `${REPO}/settings/hooks/${hook}`, rulesets: `${REPO}/settings/rulesets`,
  'new-ruleset': `${REPO}/settings/rulesets/new`, ruleset: `/bakery/recipes/settings/rulesets/${ruleset}`, insights: `${REPO}/settings/rulesets/insights`, rules: `${REPO}/rules/main`,
  issues: `${REPO}/issues`, 'closed-issues': `${REPO}/issues?state=closed`, 'no-issues': '/bakery/recipes/issues', 'new-issue': `${REPO}/issues/new`, issue: `${REPO}/issues/1`, 'edit-issue': `${REPO}/issues/1/edit`,
  labels: `${REPO}/labels`, board: `${REPO}/issues/board`, 'label-board': `${REPO}/issues/board?by=label`, milestones: `${REPO}/milestones`,
  pulls: `${REPO}/pulls`, 'all-pulls': `${REPO}/pulls?state=all`, 'no-pulls': '/bakery/recipes/pulls', 'new-pull': `${REPO}/pulls/new`, pull: `${REPO}/pull/4`, merged: `${REPO}/pull/5`, 'edit-pull': `${REPO}/pull/4/edit`,
  changes: `${REPO}/pull/4/changes`, 'split-changes': `${REPO}/pull/4/changes?view=split`, 'pull-commits': `${REPO}/pull/4/commits`, session: `${REPO}/pull/4/session`, checks: `${REPO}/pull/4/checks`,
  queue: `${REPO}/queue`, 'fork-tree': `${REPO}/pull/4/tree/main`,
  releases: `${REPO}/releases`, 'new-release': `${REPO}/releases/new`, release: `${REPO}/releases/tag/v0.1.0`, 'edit-release': `${REPO}/releases/${release}/edit`, 'no-releases': '/bakery/recipes/releases',
  odd: '/bakery/odd', 'odd-branch': `/bakery/odd/tree/${BRANCH}`, 'odd-tag': '/bakery/odd/tree/v1.0/rc', deep: '/bakery/odd/tree/main/a/b/c/d/e/f', vendor: '/bakery/odd/tree/main/vendor',
  'odd-commits': `/bakery/odd/commits/${BRANCH}`, 'odd-branches': '/bakery/odd/branches', 'empty-file': fileAt('empty.txt'), bytes: fileAt('bytes.bin'), picture: fileAt('dot.svg'),
  'picture-source': `${fileAt('dot.svg')}?plain=1`, link: fileAt('link'), 'long-line': fileAt('long.txt'), 'many-lines': fileAt('many.ts'), 'odd-name': fileAt('a dir/ünï/q&a=1+2.txt'),
  'crlf-blame': fileAt('crlf.txt', 'blame'), table: fileAt('breads.csv'), notebook: fileAt('notes.ipynb'),
  commit: `/bakery/odd/commit/${commit}`, 'split-commit': `/bakery/odd/commit/${commit}?view=split`, comparison: `/bakery/odd/compare/main...${BRANCH}`,
  // Last, because what was pushed is found a little later.
  search: '/search?q=oven', 'search-code': '/search?q=heat&type=code', 'search-repo': `${REPO}/search?q=heat`,
  'odd-owners': '/bakery/odd/code-owners',
})

/** Pages that somebody without an account comes to. */
export const OUTSIDE: Readonly<Record<string, string>> = {
  'visitor-start': '/', 'visitor-explore': '/explore', 'sign-in': '/login', 'sign-in-first': '/login?next=%2Fnew', forgot: '/forgot', register: '/register', registered: '/registered',
  'confirm-email': '/confirm?token=x', 'reset-password': '/reset?token=x', 'visitor-workspace': '/bakery', 'visitor-repo': REPO, 'visitor-issue': `${REPO}/issues/1`, 'visitor-pull': `${REPO}/pull/4`,
}

/** The main pages, by their names, on which the wider measurements are made. */
export const MAIN = [
  'start', 'explore', 'workspace', 'repo', 'file', 'blame', 'issues', 'issue', 'pulls', 'pull', 'changes', 'checks', 'session', 'commits', 'releases', 'search', 'repo-settings',
] as const
