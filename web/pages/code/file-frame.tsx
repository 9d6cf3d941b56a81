// The frame of the pages of one file.
import type { Repo } from '#features/repos/index.ts'
import { Button, ButtonGroup, Chip, LinkButton, Pager } from '../../components/index.ts'
import { bytesText } from '../../format.ts'
import type { Child } from '../../jsx/html.ts'
import { codePath, withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { RepoFrame } from '../repos/frame.tsx'
import { mayPropose } from './edit-load.ts'
import { editPath } from './edit.tsx'
import type { FileData } from './file-load.ts'
import { FindFileLink } from './find.tsx'
import { PathCrumbs, WithTree } from './frame.tsx'
import { RefSwitch } from './ref-switch.tsx'
import { OwnerLinks } from './owners.tsx'
import { rich, t } from '../../text.ts'

export const FilePage = ({
  data,
  visit,
  view,
  children,
}: {
  data: FileData
  visit: Visit
  view: 'blob' | 'blame'
  children?: Child
}) => {
  const { repo, refs, ref, path } = data
  return (
    <RepoFrame visit={visit} repo={repo} title={path} current="code" width="wide">
      <h1 class="unseen">{path}</h1>
      <div class="code-bar">
        <RefSwitch repo={repo} refs={refs} current={ref} view={view} path={path} />
        <PathCrumbs repo={repo} current={ref} path={path} />
        <Button variant="quiet" small copy={path} icon="copy" label={t('Copy the path')} />
        <div class="actions">
          <FindFileLink repo={repo} rev={ref} />
        </div>
      </div>
      <WithTree
        repo={repo}
        current={ref}
        path={path}
        folders={view === 'blame' ? [] : data.folders}
      >
        {children}
      </WithTree>
    </RepoFrame>
  )
}

/** Facts of a file beside its name. */
export const FileFacts = ({ data, more }: { data: FileData; more?: Child }) => (
  <>
    {more}
    {data.symlink && <Chip icon="symlink">{t('Symbolic link')}</Chip>}
    {data.file.lfs && (
      <Chip>{rich('Git LFS, {size}', { size: bytesText(data.file.lfs.size) })}</Chip>
    )}
    {data.text?.encoding && <Chip>{data.text.encoding}</Chip>}
    {data.owners.length > 0 && (
      <span>
        {rich('Owned by {ownerlinks}', { ownerlinks: <OwnerLinks names={data.owners} /> })}
      </span>
    )}
  </>
)

const ViewLinks = ({
  repo,
  path,
  raw,
  ref,
  view,
}: {
  repo: Repo
  path: string
  raw: string
  ref: string
  view: 'blob' | 'blame'
}) => (
  <ButtonGroup label={t('Views of this file')}>
    <LinkButton href={codePath(repo.full_name, 'blob', ref, path)} small current={view === 'blob'}>
      {t('Code')}
    </LinkButton>
    <LinkButton
      href={codePath(repo.full_name, 'blame', ref, path)}
      small
      current={view === 'blame'}
    >
      {t('Blame')}
    </LinkButton>
    <LinkButton href={codePath(repo.full_name, 'commits', ref, path)} small>
      {t('History')}
    </LinkButton>
    <LinkButton href={raw} small>
      {t('Raw')}
    </LinkButton>
  </ButtonGroup>
)

export const FileActions = ({
  data,
  view,
  visit,
}: {
  data: FileData
  view: 'blob' | 'blame'
  visit: Visit
}) => {
  const { repo, ref, path, file, text } = data
  const raw = codePath(repo.full_name, 'raw', ref, path)
  const mayEdit = data.onBranch && mayPropose(visit, repo)
  return (
    <>
      <ViewLinks repo={repo} path={path} raw={raw} ref={ref} view={view} />
      {text !== null && (
        <Button
          small
          variant="quiet"
          icon="copy"
          copyAddress={raw}
          label={t('Copy the whole file')}
        />
      )}
      <LinkButton
        href={codePath(repo.full_name, view, file.commit_sha, path)}
        small
        variant="quiet"
        icon="link"
        hotkey="y"
        label={t('Permanent link')}
      />
      {mayEdit && text !== null && !file.binary && !file.lfs && !data.symlink && (
        <LinkButton
          href={editPath(repo.full_name, 'edit', ref, path)}
          small
          icon="edit"
          hotkey="e"
          label={t('Edit this file')}
        />
      )}
      {mayEdit && (
        <LinkButton
          href={editPath(repo.full_name, 'delete', ref, path)}
          small
          variant="quiet"
          icon="trash"
          label={t('Delete this file')}
        />
      )}
    </>
  )
}

/** The pager of a long file. */
export const FileParts = ({ data, here }: { data: FileData; here: string }) => {
  const { file } = data
  const from = file.from_line ?? 1
  return (
    <Pager
      label={t('Lines')}
      newer={
        from > 1
          ? withQuery(here, { from: Math.max(1, from - 5000) > 1 ? from - 5000 : undefined })
          : null
      }
      older={
        file.truncated && file.lines !== null && file.to_line !== null && file.to_line < file.lines
          ? withQuery(here, { from: file.to_line + 1 })
          : null
      }
    />
  )
}
