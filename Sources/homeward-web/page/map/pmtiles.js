// Pictures out of one PMTiles file (version 3) on the board, a range at a time.

/** Bytes that are read first: the head and the root directory are within them. */
const HEAD = 16384;
const KINDS = { 2: "image/png", 3: "image/jpeg", 4: "image/webp" };

/** Resolves to a layer of the map; where the file holds no pictures it stays empty. */
export async function packed(address, limits) {
  const L = window.L, known = await open(address);
  const Layer = L.GridLayer.extend({
    createTile(at, done) {
      const tile = document.createElement("img");
      tile.alt = "";
      piece(address, known, tileNumber(at.z, at.x, at.y)).then(blob => {
        if (!blob) return done(null, tile);
        tile.onload = () => { URL.revokeObjectURL(tile.src); done(null, tile); };
        tile.src = URL.createObjectURL(blob);
      }).catch(error => done(error, tile));
      return tile;
    },
  });
  // Beyond what the file has, its pictures are made larger or smaller.
  return new Layer({ ...limits, minNativeZoom: known.zooms[0], maxNativeZoom: known.zooms[1] });
}

async function range(address, offset, length) {
  const response = await fetch(address, { headers: { Range: `bytes=${offset}-${offset + length - 1}` } });
  if (response.status !== 206) throw new Error(response.statusText);
  return response.arrayBuffer();
}

async function open(address) {
  const bytes = await range(address, 0, HEAD), view = new DataView(bytes);
  const number = offset => Number(view.getBigUint64(offset, true));
  if (new TextDecoder().decode(bytes.slice(0, 7)) !== "PMTiles" || view.getUint8(7) !== 3) throw new Error("not PMTiles 3");
  const known = { leaves: number(40), data: number(56), isPacked: view.getUint8(97) === 2, kind: KINDS[view.getUint8(99)], read: new Map(), zooms: [view.getUint8(100), view.getUint8(101)] };
  known.root = await directory(bytes.slice(number(8), number(8) + number(16)), known);
  return known;
}

async function directory(bytes, known) {
  const plain = known.isPacked ? await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer() : bytes;
  const source = new Uint8Array(plain);
  let place = 0;
  // Beyond 32 bits, shifts are of no use.
  const next = () => {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = source[place++];
      value += (byte & 127) * scale;
      if (byte < 128 || byte === undefined) return value;
    }
  };
  const entries = Array.from({ length: next() }, () => ({}));
  let id = 0;
  for (const entry of entries) entry.id = id += next();
  for (const entry of entries) entry.run = next();
  for (const entry of entries) entry.length = next();
  entries.forEach((entry, index) => {
    const value = next(), before = entries[index - 1];
    entry.offset = value === 0 && before ? before.offset + before.length : value - 1;
  });
  return entries;
}

/** The tile's picture; undefined: the file has none. */
async function piece(address, known, id) {
  let entries = known.root;
  for (let depth = 0; depth < 4; depth++) {
    const entry = entries.findLast(each => each.id <= id);
    if (!entry || !known.kind) return undefined;
    if (entry.run > 0) {
      if (id >= entry.id + entry.run) return undefined;
      return new Blob([await range(address, known.data + entry.offset, entry.length)], { type: known.kind });
    }
    const key = entry.offset;
    if (!known.read.has(key)) known.read.set(key, range(address, known.leaves + entry.offset, entry.length).then(bytes => directory(bytes, known)));
    entries = await known.read.get(key);
  }
  return undefined;
}

/** Along Hilbert's curve, after all tiles of the zooms above. */
export function tileNumber(zoom, x, y) {
  let number = (4 ** zoom - 1) / 3;
  for (let side = 2 ** (zoom - 1); side >= 1; side /= 2) {
    const right = (x & side) > 0 ? 1 : 0, low = (y & side) > 0 ? 1 : 0;
    number += side * side * ((3 * right) ^ low);
    if (!low) {
      if (right) { x = side - 1 - x; y = side - 1 - y; }
      [x, y] = [y, x];
    }
  }
  return number;
}
