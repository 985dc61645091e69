import { refuseTooManyParts } from '../../../limits.ts'
import type { FileToRead, ReadFile } from '../reading-file.ts'
import { arrowOf, type Drawing, drawingBlocks } from './drawing.ts'
import { type JsonObject, objectOf, objectsOf, readJson, textOf } from './json.ts'
import { htmlLabel, numberOf, textLabel, withLink } from './label.ts'

/** A diagram of Gliffy: one stage, or pages with one scene each. */
export const readGliffy: ReadFile = async (file) => {
  const content = readJson(file)
  const pages = objectsOf(content.pages)
  const drawings =
    pages.length === 0
      ? [drawingOf({ name: textOf(objectOf(content.metadata).title), stage: content.stage }, file)]
      : pages.map(({ title, scene }) => drawingOf({ name: textOf(title), stage: scene }, file))
  return { blocks: drawingBlocks(drawings, file.filename), warnings: [] }
}

function drawingOf({ name, stage }: { name: string; stage: unknown }, { filename }: FileToRead): Drawing {
  const drawing: Drawing = { name: name === 'untitled' ? '' : name, shapes: [], connections: [] }
  const objects = objectsOf(objectOf(stage).objects).map((object) => ({ object, parent: '' }))
  for (const { object, parent } of objects) {
    refuseTooManyParts(objects.length, filename)
    if (object.hidden === true) continue
    if (objectOf(object.graphic).type === 'Line') drawing.connections.push(connectionOf(object))
    else {
      const id = textOf(object.id)
      drawing.shapes.push({ id, parent, ...shapeOf(object) })
      for (const child of objectsOf(object.children)) objects.push({ object: child, parent: id })
    }
  }
  return drawing
}

function shapeOf(object: JsonObject) {
  const [link] = objectsOf(object.linkMap)
  return {
    ...withLink(labelOf(object), link?.url),
    top: numberOf(object.y),
    left: numberOf(object.x),
    height: numberOf(object.height),
  }
}

function labelOf(object: JsonObject) {
  const html = textOf(objectOf(objectOf(object.graphic).Text).html)
  return html === '' ? textLabel('') : htmlLabel(html)
}

function connectionOf(line: JsonObject) {
  const constraints = objectOf(line.constraints)
  const end = (name: 'Start' | 'End') => {
    const constraint = objectOf(constraints[`${name.toLowerCase()}Constraint`])
    return textOf(objectOf(constraint[`${name}PositionConstraint`]).nodeId)
  }
  const { startArrow, endArrow } = objectOf(objectOf(line.graphic).Line)
  return {
    from: end('Start'),
    to: end('End'),
    text: objectsOf(line.children)
      .map((child) => labelOf(child).text)
      .filter((text) => text !== '')
      .join(', '),
    arrow: arrowOf({ start: numberOf(startArrow) > 0, end: numberOf(endArrow) > 0 }),
  }
}
