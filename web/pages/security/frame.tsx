// The frame of the security pages of a repository: one entry for each kind of findings.
import type { Repo } from '#features/repos/index.ts'
import { Columns, SideNav, type MarkdownBodyOptions } from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { repoPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { RepoFrame } from '../repos/frame.tsx'

export type SecurityTab =
  | 'overview'
  | 'code-scanning'
  | 'dependencies'
  | 'dependency-alerts'
  | 'secrets'
  | 'reports'
  | 'advisories'

export const securityPath = (repo: string, rest = ''): string => repoPath(repo, `/security${rest}`)

/** The Markdown options for texts about findings. */
export const securityMarkdown = (visit: Visit, repo: Repo): MarkdownBodyOptions => ({
  page: visit.markdown,
  link: { siteUrl: visit.hearth.settings.site_url, repo: repo.full_name },
})

export const SecurityFrame = (props: {
  visit: Visit
  repo: Repo
  title: string
  current: SecurityTab
  /** Whether the visitor may see findings. */
  seesFindings: boolean
  /** Whether the visitor may see secrets without being an administrator. */
  seesSecrets?: boolean
  /** For pages of one reader. */
  noindex?: boolean
  children?: Child
}) => {
  const { repo, current } = props
  const at = (part: string) => securityPath(repo.full_name, part)
  const tab = (key: SecurityTab, label: string, rest: string) => ({
    label,
    href: at(rest),
    current: current === key,
  })
  return (
    <RepoFrame
      visit={props.visit}
      repo={repo}
      title={props.title}
      current="security"
      noindex={props.noindex}
    >
      <Columns
        side={
          <SideNav
            label={t('Security')}
            groups={[
              {
                tabs: [
                  tab('overview', t('Overview'), ''),
                  ...(props.seesFindings
                    ? [
                        tab('code-scanning', t('Code scanning'), '/code-scanning'),
                        tab('dependency-alerts', t('Dependency alerts'), '/dependency-alerts'),
                        tab('reports', t('Reports'), '/reports'),
                      ]
                    : []),
                  ...(repo.permissions.admin || props.seesSecrets || current === 'secrets'
                    ? [tab('secrets', t('Secrets'), '/secrets')]
                    : []),
                  tab('dependencies', t('Dependencies'), '/dependencies'),
                  tab('advisories', t('Advisories'), '/advisories'),
                ],
              },
            ]}
          />
        }
      >
        {props.children}
      </Columns>
    </RepoFrame>
  )
}
