import type { Attachment, ContentNode } from '../model/model.ts'
import { isVisible, pageInParameter, type View } from '../view.ts'
import {
  escapeMarkup,
  type MacroRenderer,
  type MacroTable,
  parameterText,
  type StoredMacro,
} from './macro.ts'
import { pagesOf } from './macros-lists.ts'
import { attachmentIn, viewResourceOf } from './render-links.ts'
import { fileHtml, imageHtml, missingFileHtml } from './resource-html.ts'
import { attribute, findAll } from './storage-tree.ts'

/** Files of a page that the viewer may read. */
const filesOf = ({ world }: View, node: ContentNode): Attachment[] =>
  (world.attachmentsOf.get(node.id) ?? []).filter(({ status }) => status === 'current')

/** `page` names another page; an invisible one has no files. */
function attachmentPage(view: View, macro: StoredMacro): ContentNode | undefined {
  const parameter = macro.parameters.get('page')
  if (parameter === undefined) return view.page
  const named = pageInParameter(view, parameter)
  return isVisible(view, named) ? named : undefined
}

const viewFile: MacroRenderer = (view, macro) => {
  const parameter = macro.parameters.get('name')
  const [ri] = parameter === undefined ? [] : findAll([parameter], ({ tag }) => tag === 'ri:attachment')
  const title = ri === undefined ? parameterText(macro, 'name') : (attribute(ri, 'ri:filename') ?? '')
  const page = attachmentPage(view, macro)
  const found =
    ri === undefined
      ? page && filesOf(view, page).find((each) => each.title === title)
      : attachmentIn(view, ri)
  return found === undefined ? missingFileHtml(title) : fileHtml(viewResourceOf(found))
}

const table = (files: Attachment[]): string =>
  `<div class="table-wrap"><table class="attachments aui confluenceTable"><tbody>${files.map((each) => `<tr><td class="confluenceTd">${fileHtml(viewResourceOf(each))}</td><td class="confluenceTd">${escapeMarkup(each.comment)}</td></tr>`).join('')}</tbody></table></div>`

const attachments: MacroRenderer = (view, macro) => {
  const page = attachmentPage(view, macro)
  return page === undefined ? '' : table(filesOf(view, page))
}

const spaceAttachments: MacroRenderer = (view, macro) =>
  table(pagesOf(view, macro).flatMap((node) => filesOf(view, node)))

const gallery: MacroRenderer = (view, macro) => {
  const page = attachmentPage(view, macro)
  const pictures = (page === undefined ? [] : filesOf(view, page)).filter(({ mediaType }) =>
    mediaType.startsWith('image/'),
  )
  return `<div class="gallery">${pictures.map((each) => imageHtml(viewResourceOf(each))).join('')}</div>`
}

/** The picture stored with the drawing, or its name. */
const drawing: MacroRenderer = (view, macro) => {
  const name = parameterText(macro, 'diagramName') || parameterText(macro, 'name')
  const picture = filesOf(view, view.page).find(({ title }) => title === `${name}.png`)
  return picture === undefined
    ? `<div class="ap-container">${escapeMarkup(name)}</div>`
    : imageHtml({ ...viewResourceOf(picture), alt: name })
}

export const fileMacros: MacroTable = {
  'view-file': viewFile,
  viewpdf: viewFile,
  viewdoc: viewFile,
  viewxls: viewFile,
  viewppt: viewFile,
  attachments,
  'space-attachments': spaceAttachments,
  gallery,
  drawio: drawing,
  'inc-drawio': drawing,
  gliffy: drawing,
  lucidchart: drawing,
}
