# Buckets of a shop.
locals {
  name = "shop"
}

# Where orders lie.
resource "aws_s3_bucket" "orders" {
  bucket = local.name
  policy = <<-EOF
  resource "hidden" "x" {
  EOF
}
data "aws_region" "here" {}
module "stock" {
  source = "./stock"
}
variable "size" { type = number }
output "id" { value = aws_s3_bucket.orders.id }
provider "aws" {}
moved {
  from = a
}
