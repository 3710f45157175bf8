/** The contract of stores, on Postgres. */
import { testStore } from "./contract.ts";
import { TestDatabase } from "./postgres_database.ts";

const database = await TestDatabase.makeAnywhere();

testStore("Postgres", () => database.open());
