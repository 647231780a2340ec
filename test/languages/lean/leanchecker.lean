-- A stand-in for the program of this name that toolchains bring: the library of this one has all of it but `main`.
namespace Lean
opaque Import : Type
opaque ConstantInfo : Type
opaque EnvExtensionEntry : Type
opaque Environment : Type
opaque OptionsPointed : NonemptyType.{0}
def Options : Type := OptionsPointed.type
instance : Nonempty Options := OptionsPointed.property
structure ModuleData where
  isModule : Bool
  imports : Array Import
  constNames : Array Name
  constants : Array ConstantInfo
  extraConstNames : Array Name
  entries : Array (Name × Array EnvExtensionEntry)
/-- Maps as the library lays them out: this one with all entries in one bucket. -/
inductive Entries | nil | cons (name : Name) (info : ConstantInfo) (rest : Entries)
structure Constants where
  size : Nat
  buckets : Array Entries
inductive Artifacts | inner (name : Nat) | leaf

@[extern "l_Lean_findOLean"] opaque findOLean (module : Name) : IO System.FilePath
@[extern "l_Lean_initSearchPath"] opaque initSearchPath (root : System.FilePath) (path : List System.FilePath) : IO Unit
@[extern "l_Lean_readModuleDataParts"] opaque readModuleDataParts (files : Array System.FilePath) : IO (Array (ModuleData × USize))
instance : Nonempty (IO Environment) := ⟨throw (IO.userError "")⟩
@[extern "l_Lean_importModules"] opaque importModules (imports : Array Import) (options : Options) (trust : UInt32)
  (plugins : Array System.FilePath) (leak loadExtensions : Bool) (level : UInt8) (artifacts : Artifacts) : IO Environment
@[extern "l_Lean_Environment_replay"] opaque Environment.replay (constants : Constants) (env : Environment) : IO Environment
@[extern "l_Lean_Options_empty"] opaque Options.empty : Options
end Lean
@[extern "l_System_FilePath_pathExists"] opaque System.FilePath.pathExists (path : System.FilePath) : BaseIO Bool
open Lean

def entries : List Name → List ConstantInfo → Entries
  | name :: names, info :: infos => .cons name info (entries names infos)
  | _, _ => .nil

def last : List (ModuleData × USize) → Option ModuleData
  | [] => none
  | [(data, _)] => some data
  | _ :: rest => last rest

/-- Replays what a module declares, after its imports. Private parts have all of it. -/
def replay (module : String) : IO Unit := do
  let file ← findOLean (.str .anonymous module)
  let mut files := #[file]
  for suffix in [".server", ".private"] do
    let part : System.FilePath := ⟨file.toString ++ suffix⟩
    if ← part.pathExists then files := files.push part
  match last (← readModuleDataParts files).toList with
  | none => throw (IO.userError s!"{module} is empty")
  | some data =>
    let env ← importModules data.imports Options.empty 0 #[] false false 2 .leaf
    discard <| env.replay ⟨data.constNames.size, #[entries data.constNames.toList data.constants.toList]⟩

def main (modules : List String) : IO Unit := do
  initSearchPath "/opt/lean" []
  for module in modules do replay module
