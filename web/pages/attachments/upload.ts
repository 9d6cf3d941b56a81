import { uploadAttachment } from '#features/attachments/index.ts'
import { Refusal } from '#lib/errors.ts'
import { DirectResponse, upload, type UploadStream, type Visit } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { t } from '../../text.ts'

/** Uploads one file for a text and returns the Markdown that shows it. */
export async function attachFile(visit: Visit, { name, bytes }: UploadStream): Promise<string> {
  const file = await visit.call(uploadAttachment, { repo: repoOf(visit), name }, bytes)
  return file.markdown
}

/** The browser script sends each file by itself, while the text is still being written. */
export const attachmentForm = upload({
  path: '/:workspace/:repo/attachments',
  page: null,
  submit: async (visit, _, file) => {
    if (file === null) throw new Refusal('invalid', t('Choose a file first.'), { field: 'file' })
    const markdown = await attachFile(visit, file)
    return new DirectResponse(
      Response.json({ markdown }, { status: 201, headers: { 'cache-control': 'no-store' } }),
    )
  },
})
