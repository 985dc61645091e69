import { refuseTooManyParts } from '../../../limits.ts'
import type { ReadFile } from '../reading-file.ts'
import { arrowOf, drawingBlocks } from './drawing.ts'
import { type JsonObject, objectOf, objectsOf, readJson, textOf } from './json.ts'
import { numberOf, textLabel, withLink } from './label.ts'

/** A sketch of Excalidraw. The text of a shape or line is an element of its own, which names it. */
export const readExcalidraw: ReadFile = async (file) => {
  const content = readJson(file)
  const elements = objectsOf(content.elements).filter(({ isDeleted }) => isDeleted !== true)
  refuseTooManyParts(elements.length, file.filename)
  const containers = new Set(elements.filter(({ type }) => type !== 'text').map(({ id }) => textOf(id)))
  const labels = Map.groupBy(elements, ({ containerId }) => textOf(containerId))
  const isLabel = ({ type, containerId }: JsonObject) =>
    type === 'text' && containers.has(textOf(containerId))
  const label = (element: JsonObject) => {
    const id = textOf(element.id)
    const parts = [element, ...(labels.get(id) ?? []).filter(isLabel)]
    // Of elements with the same id, the first has the labels.
    labels.delete(id)
    const text = parts.map((part) => textOf(part.originalText) || textOf(part.text) || textOf(part.name))
    return withLink(textLabel(text.join('\n')), element.link)
  }
  const own = elements.filter((element) => !isLabel(element))
  const isLine = (element: JsonObject) => element.type === 'arrow' || element.type === 'line'
  const drawing = {
    name: textOf(objectOf(content.appState).name),
    shapes: own
      .filter((element) => !isLine(element))
      .map((element) => ({
        id: textOf(element.id),
        parent: textOf(element.frameId),
        ...label(element),
        top: numberOf(element.y),
        left: numberOf(element.x),
        height: numberOf(element.height),
      })),
    connections: own.filter(isLine).map((line) => ({
      from: textOf(objectOf(line.startBinding).elementId),
      to: textOf(objectOf(line.endBinding).elementId),
      text: label(line).text,
      arrow: arrowOf({ start: Boolean(line.startArrowhead), end: Boolean(line.endArrowhead) }),
    })),
  }
  return { blocks: drawingBlocks([drawing], file.filename), warnings: [] }
}
