//! Writing the projection. Every write is one statement, which Neo4j runs as one transaction.

use crate::connection::{Graph, Member, WRITE_LIMIT};
use crate::error::GraphError;
use domain::{EntityKey, FactId, SpaceId, Tenant};
use neo4rs::{BoltMap, BoltType, query};
use std::collections::BTreeMap;

/// A fact as the graph knows it: which things it speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactNode {
    pub tenant: Tenant,
    pub space: SpaceId,
    pub fact: FactId,
    pub names: Vec<EntityKey>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// In place of what the graph has of this fact.
    Put(FactNode),
    Remove {
        tenant: Tenant,
        fact: FactId,
    },
}

/// The tenant is in both keys, so tenants never share a node.
const CONSTRAINTS: [&str; 3] = [
    "CREATE CONSTRAINT svc_memory_projection IF NOT EXISTS
     FOR (p:MemoryProjection) REQUIRE p.projection IS UNIQUE",
    "CREATE CONSTRAINT svc_memory_fact IF NOT EXISTS
     FOR (f:MemoryFact) REQUIRE (f.projection, f.tenant, f.fact) IS UNIQUE",
    "CREATE CONSTRAINT svc_memory_entity IF NOT EXISTS
     FOR (e:MemoryEntity) REQUIRE (e.projection, e.tenant, e.space, e.key) IS UNIQUE",
];

/// Only emptying makes the projection's node. Where it is missing, this is another Neo4j than the one that was filled, and
/// a change applied to it would pass for all of them.
const BEGIN: &str = "
    MERGE (p:MemoryProjection {projection: $projection})
    ON CREATE SET p.fence = $fence
";
const GO_ON: &str = "
    MATCH (p:MemoryProjection {projection: $projection})
";

/// Goes before every write, and leaves no row to go on with if somebody with a higher fence was here. Setting `locked`
/// locks the projection's node: a fence that is read before the node is locked may be out of date.
const FENCE: &str = "
    SET p.locked = true
    WITH p WHERE p.fence <= $fence
    SET p.fence = $fence
    WITH p
";

const APPLY: &str = "
    CALL () {
        UNWIND $put + $removed AS change
        MATCH (f:MemoryFact {projection: $projection, tenant: change.tenant, fact: change.fact})-[n:NAMES]->(e)
        WHERE f.space <> change.space OR NOT e.key IN change.names
        DELETE n
        RETURN collect(DISTINCT e) AS loose
    }
    CALL () {
        UNWIND $removed AS change
        MATCH (f:MemoryFact {projection: $projection, tenant: change.tenant, fact: change.fact})
        DETACH DELETE f
    }
    CALL () {
        UNWIND $put AS change
        MERGE (f:MemoryFact {projection: $projection, tenant: change.tenant, fact: change.fact})
        SET f.space = change.space
        WITH f, change
        UNWIND change.names AS key
        MERGE (e:MemoryEntity {projection: $projection, tenant: change.tenant, space: change.space, key: key})
        MERGE (f)-[n:NAMES]->(e)
        ON CREATE SET n.tenant = change.tenant, n.space = change.space, n.fact = change.fact
    }
    CALL (loose) {
        UNWIND loose AS e
        WITH e WHERE NOT (e)<-[:NAMES]-()
        DETACH DELETE e
    }
    RETURN true AS done
";

/// An index over several properties is used only if all of them are asked for, if only whether they are there.
const WIPE: &str = "
    CALL () {
        CALL () {
            MATCH (f:MemoryFact)
            WHERE f.projection = $projection AND f.tenant IS NOT NULL AND f.fact IS NOT NULL
            RETURN f AS node
            UNION ALL
            MATCH (e:MemoryEntity)
            WHERE e.projection = $projection AND e.tenant IS NOT NULL AND e.space IS NOT NULL AND e.key IS NOT NULL
            RETURN e AS node
        }
        WITH node LIMIT $most
        DETACH DELETE node
        RETURN count(*) AS removed
    }
    RETURN removed
";

impl Graph {
    /// Makes the constraints that are missing.
    pub async fn prepare(&self) -> Result<(), GraphError> {
        for constraint in CONSTRAINTS {
            self.ask(query(constraint), Member::Leader, WRITE_LIMIT).await?;
        }
        Ok(())
    }

    /// All of the changes or none. Of two changes to one fact the later counts. A thousand at a time is a good number.
    pub async fn apply(&self, fence: i64, changes: &[Change]) -> Result<(), GraphError> {
        let mut latest = BTreeMap::new();
        for change in changes {
            match change {
                Change::Put(node) => latest.insert((node.tenant.as_str(), node.fact), Some(node)),
                Change::Remove { tenant, fact } => latest.insert((tenant.as_str(), *fact), None),
            };
        }
        let (mut put, mut removed) = (Vec::new(), Vec::new());
        for ((tenant, fact), node) in latest {
            match node {
                Some(node) => put.push(parameter(tenant, fact, Some(node.space), &node.names)),
                None => removed.push(parameter(tenant, fact, None, &[])),
            }
        }
        let statement = query(&[GO_ON, FENCE, APPLY].concat());
        let statement = statement.param("fence", fence).param("put", put).param("removed", removed);
        let done = self.ask(statement, Member::Leader, WRITE_LIMIT).await?;
        match done.is_empty() {
            false => Ok(()),
            true if self.is_there().await? => Err(GraphError::Fenced),
            true => Err(GraphError::Missing),
        }
    }

    /// Whether this Neo4j is one that the projection was made in.
    pub async fn is_there(&self) -> Result<bool, GraphError> {
        let statement = query("MATCH (p:MemoryProjection {projection: $projection}) RETURN 1");
        Ok(!self.ask(statement, Member::Leader, WRITE_LIMIT).await?.is_empty())
    }

    /// Removes up to so many nodes, and says how many. At 0 nothing is left but the projection's own node, which keeps
    /// the fence. Two thousand at a time is a good number: Neo4j holds a transaction in memory, and with a heap of 300 MB
    /// it refused to remove ten thousand.
    pub async fn wipe(&self, fence: i64, most: u32) -> Result<u64, GraphError> {
        let statement = query(&[BEGIN, FENCE, WIPE].concat()).param("fence", fence).param("most", most);
        let rows = self.ask(statement, Member::Leader, WRITE_LIMIT).await?;
        let row = rows.first().ok_or(GraphError::Fenced)?;
        Ok(row.get("removed")?)
    }
}

fn parameter(tenant: &str, fact: FactId, space: Option<SpaceId>, names: &[EntityKey]) -> BoltType {
    let mut map = BoltMap::new();
    map.put("tenant".into(), tenant.into());
    map.put("fact".into(), fact.0.into());
    map.put("space".into(), space.map(|space| space.0).into());
    map.put("names".into(), names.iter().map(|name| hex::encode(name.0)).collect());
    BoltType::Map(map)
}
