// Signs cards as the official SDK does.
//
//   node sign.mjs ALGORITHM < CARD
//
// Prints {card, keys}: the signed card, and the public key as a JWK set.
import { readFileSync } from "node:fs";
import { exportJWK, generateKeyPair } from "jose";
import { AgentCard, generateAgentCardSignature } from "@a2a-js/sdk";

const alg = process.argv[2];
const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
const card = AgentCard.fromJSON(JSON.parse(readFileSync(0, "utf8")));
const signed = await generateAgentCardSignature(privateKey, { alg, kid: "the-key", typ: "JOSE" })(card);
console.log(JSON.stringify({ card: AgentCard.toJSON(signed), keys: { keys: [{ ...(await exportJWK(publicKey)), kid: "the-key", alg }] } }));
