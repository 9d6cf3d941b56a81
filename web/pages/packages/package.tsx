// The page of a package: README, how to install it, versions with their files, settings.
import {
  getPackage,
  getPackageVersion,
  installSnippets,
  listPackageVersions,
  readPackageDetails,
  type ImageParts,
  type Package,
  type PackageVersion,
  typeName,
} from '#features/packages/index.ts'
import {
  ActionButton,
  ActorLink,
  Button,
  Card,
  Chip,
  Facts,
  Icon,
  LinkButton,
  List,
  MarkdownBody,
  Notice,
  Pagination,
  RelativeTime,
  Row,
  TextBeginning,
} from '../../components/index.ts'
import { formatExactTime } from '../../components/time.tsx'
import { bytesText, formatNumber } from '../../format.ts'
import { newTokenPath, repoPath, withQuery } from '../../paths.ts'
import { page, type Page, type Visit } from '../../site.ts'
import { rich, t, tn } from '../../text.ts'
import { loadPage, pageOfRows, RowSteps } from '../row-form.tsx'
import { PackageFrame, targetOf } from './package-frame.tsx'
import { readmeMarkdown, readmePath } from './package-texts.tsx'
import { DependentsCard, DownloadsCard, ImageCards } from './package-details.tsx'
import { packagePath, Snippets } from './package-parts.tsx'
import { canMark, VersionMarks } from './version-marks.tsx'
import { workspaceSummary } from './workspace-summary.ts'

/** The row of a version may have forms, and a message of 1,000 characters in one of them. */
const VERSIONS_PER_PAGE = 10
/** What a row shows of the message that a version is deprecated with. */
const MAX_DEPRECATION_BYTES = 400

type SumOf = { readonly name: string; readonly sum: string }

/** The digests of a file by the names that people compare. */
const sumsOf = ({ sha256, sha512, sha1, md5 }: PackageVersion['files'][number]): SumOf[] =>
  Object.entries({ 'SHA-256': sha256, 'SHA-512': sha512, 'SHA-1': sha1, MD5: md5 }).flatMap(
    ([name, sum]) => (sum === null ? [] : [{ name, sum }]),
  )

/** More files of a version are shown on its own page. */
const MAX_FILES_IN_ROW = 3
/** The page of the files of a version, in the address. */
const FILES_PAGE = 'files'
const FILES_PER_PAGE = 100

type VersionProps = { visit: Visit; item: Package; version: PackageVersion }

const VersionFiles = ({ visit, item, version }: VersionProps) => {
  const here = withQuery(packagePath(item), { version: version.version })
  const label = tn('{count} file', '{count} files', version.files.length)
  const isAlone = visit.url.searchParams.has('version')
  if (!isAlone && version.files.length > MAX_FILES_IN_ROW)
    return (
      <p class="row-more">
        <a href={here}>{label}</a>
      </p>
    )
  const list = pageOfRows(visit, version.files, FILES_PER_PAGE, FILES_PAGE)
  return (
    <details class="row-more" open={isAlone}>
      <summary>{label}</summary>
      <FileList files={list.items} isPublic={item.visibility === 'public'} />
      <RowSteps list={list} here={here} name={FILES_PAGE} label={t('Pages of files')} />
    </details>
  )
}

/** Private files ask for a token, which a browser does not send, so only public ones have links. */
const FileList = ({
  files,
  isPublic,
}: {
  files: readonly PackageVersion['files'][number][]
  isPublic: boolean
}) => (
  <ul>
    {files.map((file) => (
      <li class="small">
        {file.download_url === null || !isPublic ? (
          <span class="mono">{file.name}</span>
        ) : (
          <a class="mono" href={new URL(file.download_url).pathname} rel="nofollow">
            {file.name}
          </a>
        )}{' '}
        <span class="muted">{bytesText(file.size_in_bytes)}</span>
        <br />
        {sumsOf(file).map(({ name, sum }) => (
          <span class="muted mono break">
            {name} {sum}
            <br />
          </span>
        ))}
      </li>
    ))}
  </ul>
)

const VersionAction = ({ visit, item, version }: VersionProps) =>
  item.permissions.admin && item.deleted_at === null ? (
    <ActionButton
      action={packagePath(
        item,
        version.deleted_at === null ? '/delete-version' : '/restore-version',
      )}
      csrf={visit.csrf}
      values={{ version: version.version }}
    >
      <Button small variant="quiet">
        {version.deleted_at === null ? t('Delete') : t('Restore')}
        <span class="unseen"> {version.version}</span>
      </Button>
    </ActionButton>
  ) : null

const VersionRow = (props: VersionProps) => {
  const { item, version } = props
  return (
    <Row
      mark={<Icon name="tag" />}
      title={
        <a class="strong mono" href={withQuery(packagePath(item), { version: version.version })}>
          {version.version}
        </a>
      }
      meta={
        <>
          {version.tags.map((tag) => (
            <Chip>{tag}</Chip>
          ))}
          {version.yanked && <Chip tone="wait">{t('Yanked')}</Chip>}
          {version.deprecated !== null && <Chip tone="wait">{t('Deprecated')}</Chip>}
          {version.deleted_at !== null && <Chip tone="bad">{t('Deleted')}</Chip>}
          <span>
            {rich('{time} by {actor}', {
              time: <RelativeTime at={version.created_at} />,
              actor: <ActorLink of={version.published_by} face={false} />,
            })}
          </span>
          <span>{bytesText(version.size_in_bytes)}</span>
          <span>{tn('{count} download', '{count} downloads', version.download_count)}</span>
        </>
      }
      end={<VersionAction {...props} />}
    >
      {item.package_type === 'container' && <p class="muted mono small break">{version.digest}</p>}
      {version.deprecated !== null && (
        <Notice kind="info">
          <TextBeginning
            text={version.deprecated}
            maxBytes={MAX_DEPRECATION_BYTES}
            href={withQuery(packagePath(item), { version: version.version })}
          />
        </Notice>
      )}
      {version.files.length > 0 && <VersionFiles {...props} />}
      {canMark(item, version) && <VersionMarks visit={props.visit} item={item} version={version} />}
    </Row>
  )
}

const Sources = ({ item, version }: { item: Package; version: PackageVersion | null }) => {
  const run = version?.published_from?.run_id ?? null
  const sha = version?.published_from?.sha ?? null
  const { repository } = item
  const facts = [
    { label: t('Type'), value: typeName(item.package_type) },
    { label: t('Visibility'), value: item.visibility === 'public' ? t('Public') : t('Private') },
    {
      label: t('Repository'),
      value: repository ? (
        <a href={repoPath(repository.full_name)}>{repository.full_name}</a>
      ) : (
        t('None')
      ),
    },
    ...((run !== null || sha !== null) && repository !== null
      ? [
          {
            label: t('Published from'),
            value: (
              <>
                {run !== null && (
                  <a href={repoPath(repository.full_name, `/runs/${run}`)}>
                    {t('A run of {name}', { name: repository.full_name })}
                  </a>
                )}{' '}
                {sha !== null && (
                  <a class="mono" href={repoPath(repository.full_name, `/commit/${sha}`)}>
                    {sha.slice(0, 10)}
                  </a>
                )}
              </>
            ),
          },
        ]
      : []),
    { label: t('Size'), value: bytesText(item.size_in_bytes) },
    { label: t('Downloads'), value: formatNumber(item.download_count) },
  ]
  return <Facts facts={facts} />
}

const DeletedNotice = ({ visit, item }: { visit: Visit; item: Package }) => (
  <Notice kind="info">
    <p>
      {t('This package is deleted. It is purged on {time}.', {
        time: formatExactTime(item.purge_at ?? ''),
      })}
    </p>
    <ActionButton action={packagePath(item, '/restore')} csrf={visit.csrf}>
      <Button>{t('Restore package')}</Button>
    </ActionButton>
  </Notice>
)

/** What whoever is about to install the version should know. */
const VersionNotice = ({ version }: { version: PackageVersion }) => {
  if (version.yanked)
    return (
      <Notice kind="wait" title={t('Version {version} is yanked', { version: version.version })}>
        {t(
          'Clients do not choose a yanked version by themselves. Whoever names its number still gets it.',
        )}
      </Notice>
    )
  if (version.deprecated === null) return null
  return (
    <Notice kind="wait" title={t('Version {version} is deprecated', { version: version.version })}>
      {version.deprecated}
    </Notice>
  )
}

const Readme = ({
  visit,
  item,
  version,
  text,
}: {
  visit: Visit
  item: Package
  version: string | undefined
  text: string
}) => (
  <Card title={t('README')}>
    <MarkdownBody
      text={text}
      options={readmeMarkdown(visit, item)}
      whole={{ href: readmePath(item, version) }}
    />
  </Card>
)

/** How clients install a version, and the token that they need for it. */
const InstallCard = ({
  visit,
  item,
  version,
  image,
}: {
  visit: Visit
  item: Package
  version: PackageVersion | null
  image: ImageParts | null
}) => (
  <Card title={t('Install')}>
    <Snippets
      snippets={installSnippets(visit.hearth, item, {
        version: version?.version ?? item.latest,
        path: version?.files[0]?.name,
        artifact_type: image?.artifact_type,
      })}
    />
    {item.visibility === 'private' && (
      <p class="muted small">
        {rich(
          'The package is private: HEARTH_TOKEN is a <tokens>token</tokens> with the scope packages:read.',
          { tokens: (inner) => <a href={newTokenPath('packages', 'packages:read')}>{inner}</a> },
        )}
      </p>
    )}
  </Card>
)

export const packagePage: Page = page({
  path: '/:workspace/-/packages/:type/:name',
  load: async (visit) => {
    const target = targetOf(visit)
    const named = visit.url.searchParams.get('version')
    const item = await visit.call(getPackage, target)
    const shown = named ?? (item.deleted_at === null ? item.latest : null)
    const [workspace, details, versions, chosen] = await Promise.all([
      workspaceSummary(visit, item.workspace),
      visit.call(readPackageDetails, {
        ...target,
        ...(shown !== null && { version: shown }),
      }),
      loadPage(visit, (page) =>
        visit.call(listPackageVersions, {
          ...target,
          page,
          per_page: VERSIONS_PER_PAGE,
          ...(item.permissions.admin && { state: 'all' as const }),
        }),
      ),
      named === null ? null : visit.tryCall(getPackageVersion, { ...target, version: named }),
    ])
    return { item, workspace, details, versions, chosen }
  },
  view: ({ item, workspace, details, versions, chosen }, visit) => {
    const here = packagePath(item)
    const shown = chosen ?? versions.items.find(({ version }) => version === item.latest) ?? null
    const isDeleted = item.deleted_at !== null
    return (
      <PackageFrame
        visit={visit}
        workspace={workspace}
        item={item}
        current="overview"
        actions={
          chosen === null ? undefined : (
            <LinkButton href={here}>{t('Show the latest version')}</LinkButton>
          )
        }
      >
        {isDeleted && <DeletedNotice visit={visit} item={item} />}
        {!isDeleted && shown !== null && <VersionNotice version={shown} />}
        <Sources item={item} version={shown} />
        {!isDeleted && (
          <InstallCard visit={visit} item={item} version={shown} image={details.image} />
        )}
        {details.image !== null && <ImageCards image={details.image} />}
        {details.readme !== null && (
          <Readme visit={visit} item={item} version={chosen?.version} text={details.readme} />
        )}
        <h2>{t('Versions')}</h2>
        <List label={t('Versions')}>
          {(chosen ? [chosen] : versions.items).map((version) => (
            <VersionRow visit={visit} item={item} version={version} />
          ))}
        </List>
        {chosen === null && (
          <Pagination
            page={versions.page}
            perPage={VERSIONS_PER_PAGE}
            total={versions.total ?? 0}
            href={(page) => withQuery(here, { page: page > 1 ? page : undefined })}
          />
        )}
        <DependentsCard item={item} dependents={details.dependents} />
        <DownloadsCard days={details.downloads} />
      </PackageFrame>
    )
  },
})
