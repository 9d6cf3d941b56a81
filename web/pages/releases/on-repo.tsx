// The latest release on the page of its repository.
import type { Release } from '#features/releases/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { Icon, RelativeTime, SideBlock } from '../../components/index.ts'
import type { Visit } from '../../site.ts'
import { isFork } from '../code/frame.tsx'
import { mayWrite } from './list.tsx'
import { releasePath, releasesPath } from './release-details.tsx'
import { t } from '../../text.ts'

const NoRelease = ({ repo }: { repo: Repo }) => (
  <SideBlock title={t('Releases')}>
    <p class="muted">{t('No releases yet.')}</p>
    <p>
      <a href={releasesPath(repo.full_name, '/new')}>{t('Create a release')}</a>
    </p>
  </SideBlock>
)

type LatestReleaseProps = { visit: Visit; repo: Repo; release: Release | null }

/** Without a release, those who may publish one get the link to it. Forks have none. */
export const LatestRelease = ({ visit, repo, release }: LatestReleaseProps) => {
  if (release === null)
    return mayWrite(repo, visit) && !isFork(repo) ? <NoRelease repo={repo} /> : null
  return (
    <SideBlock
      title={t('Latest release')}
      action={<a href={releasesPath(repo.full_name)}>{t('All')}</a>}
    >
      <p>
        <Icon name="tag" />{' '}
        <a class="strong" href={releasePath(repo.full_name, release)}>
          {release.name}
        </a>
      </p>
      <p class="muted small">
        <RelativeTime at={release.published_at ?? release.created_at} />
      </p>
    </SideBlock>
  )
}
