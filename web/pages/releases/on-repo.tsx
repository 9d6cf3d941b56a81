// The latest release on the page of its repository.
import type { Release } from '#features/releases/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { Icon, RelativeTime, SideBlock } from '../../components/index.ts'
import { releasePath, releasesPath } from './release-details.tsx'
import { t } from '../../text.ts'

/** Nothing without a release. */
export const LatestRelease = ({ repo, release }: { repo: Repo; release: Release | null }) =>
  release && (
    <SideBlock title={t('Latest release')} action={<a href={releasesPath(repo.full_name)}>All</a>}>
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
